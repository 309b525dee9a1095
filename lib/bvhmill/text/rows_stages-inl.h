// ScanRows, composed of the two stages. Include it after rows_stage2-inl.h.

// Converts the first chunk.numbers numbers.
inline void ConvertChunk(const Chunk& chunk, bool has_exponents, float* out) {
  // The wide path is faster if more than one in kOften numbers has many
  // decimals.
  constexpr size_t kOften = 24;
  RowsWorkspace::Buffers* buffers = chunk.buffers;
  size_t longs = 0;
  if (buffers->precise) {
    longs = ConvertWide(chunk, out);
  } else {
    longs = ConvertShort(chunk, out);
    if (longs > 0) ConvertListed<false>(chunk, longs, out);
  }
  buffers->precise = longs * kOften > chunk.numbers;
  if (has_exponents) {
    ConvertListed<true>(chunk, ListExponents(chunk), out);
  }
}

// Number of bytes up to the end of the line of the last number, line end
// included.
inline size_t BytesOfLines(const Chunk& chunk) {
  const size_t last =
      OffsetOf(chunk.buffers->pivots[chunk.numbers - 1]) - kPadBytes;
  const size_t end = chunk.text.find_first_of("\r\n", last);
  if (end == std::string_view::npos) return chunk.text.size();
  const bool is_crlf = chunk.text.substr(end, 2) == "\r\n";
  return end + (is_crlf ? 2 : 1);
}

// Runs stage 1 over whole lines. False if some line is not regular.
inline bool MarkLines(std::string_view text, size_t width,
                      RowsWorkspace::Buffers* buffers, Chunk* chunk,
                      Marks* marks) {
  chunk->text = text;
  chunk->buffers = buffers;
  // At first, the CPU compares loads and stores by the low 12 bits of their
  // addresses only. The offset keeps loads of the text apart from the recent
  // stores of digits.
  const auto from = reinterpret_cast<uintptr_t>(text.data());
  const auto base = reinterpret_cast<uintptr_t>(buffers->digits);
  chunk->digits = buffers->digits + ((from - kPadBytes - 1024 - base) & 0xFC0);
  buffers->out_of_range = false;
  if (buffers->general || !MarkChunk<false>(width, *chunk, marks)) {
    if (!MarkChunk<true>(width, *chunk, marks)) return false;
    buffers->general = marks->exponents > 0;
  }
  return true;
}

// Number of line ends in a chunk that was taken completely.
inline int64_t LinesOf(const Chunk& chunk, const Marks& marks) {
  const char last = chunk.text.back();
  // Each row ends with one line end, and there are no other line ends.
  if (marks.line_ends == marks.rows && (last == '\n' || last == '\r')) {
    return static_cast<int64_t>(marks.rows);
  }
  const bool has_returns = chunk.text.find('\r') != std::string_view::npos;
  return has_returns ? CountLineEnds(chunk.text)
                     : static_cast<int64_t>(marks.line_ends);
}

// Parses one chunk of whole lines, or the rows at its beginning that fit into
// `out`. False if some line is not regular; then nothing counts as read.
inline bool ReadChunk(std::string_view text, std::string_view ahead,
                      size_t width, std::span<float> out,
                      RowsWorkspace::Buffers* buffers, RowsScan* scan) {
  Chunk chunk;
  Marks marks;
  if (!MarkLines(text, width, buffers, &chunk, &marks)) return false;
  chunk.ahead = ahead;
  const size_t rows = std::min(marks.rows, out.size() / width);
  chunk.numbers = rows * width;
  if (rows > 0) ConvertChunk(chunk, marks.exponents > 0, out.data());
  if (buffers->out_of_range) return false;
  scan->rows += rows;
  if (rows == out.size() / width) {
    // Count only up to the end of the last row that fits.
    const size_t bytes = BytesOfLines(chunk);
    scan->bytes += bytes;
    scan->lines += CountLineEnds(text.substr(0, bytes));
  } else {
    scan->bytes += text.size();
    scan->lines += LinesOf(chunk, marks);
  }
  return true;
}

inline RowsScan ReadBlock(std::string_view block, size_t width,
                          RowsPlacer* placer, std::string_view ahead,
                          RowsWorkspace::Buffers* buffers) {
  Chunk chunk;
  Marks marks;
  if (block.empty() || !MarkLines(block, width, buffers, &chunk, &marks)) {
    return block.empty() ? RowsScan{}
                         : ScanRowsBlockScalar(block, width, placer);
  }
  const std::span<float> room = placer->Reserve(marks.rows);
  if (room.size() < marks.rows * width) return {};
  chunk.ahead = ahead;
  chunk.numbers = marks.rows * width;
  if (marks.rows > 0) ConvertChunk(chunk, marks.exponents > 0, room.data());
  if (buffers->out_of_range) return {};
  return {marks.rows, block.size(), LinesOf(chunk, marks)};
}

// Number of bytes of the first line of `text`, line end included, if that line
// is longer than a usual chunk. 0 if the line is too long to be scanned.
inline size_t LongLineBytes(std::string_view text) {
  const std::string_view most = text.substr(0, kMaxChunkBytes);
  const size_t end = most.find_first_of("\r\n");
  if (end == std::string_view::npos) {
    return text.size() <= kMaxScannedLineBytes ? text.size() : 0;
  }
  if (end > kMaxScannedLineBytes) return 0;
  return end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
}

// Number of bytes of the next chunk: whole lines at the beginning of `text`,
// about 8 KB of them. 0 if the first line is too long.
inline size_t ChunkBytes(std::string_view text) {
  constexpr size_t kUsualBytes = 8 * 1024;
  if (text.size() <= kUsualBytes) return text.size();
  const std::string_view usual = text.substr(0, kUsualBytes);
  const void* feed = memrchr(usual.data(), '\n', usual.size());
  if (feed != nullptr) {
    return static_cast<size_t>(static_cast<const char*>(feed) - text.data()) +
           1;
  }
  // The text ends its lines with CR only. The last byte may be the CR of a
  // CRLF.
  const size_t end = usual.substr(0, kUsualBytes - 1).rfind('\r');
  return end == std::string_view::npos ? LongLineBytes(text) : end + 1;
}

inline RowsScan ScanChunks(std::string_view text, size_t width,
                           std::span<float> out,
                           RowsWorkspace::Buffers* buffers) {
  RowsScan scan;
  while (scan.bytes < text.size()) {
    const std::string_view rest = text.substr(scan.bytes);
    const std::span<float> room = out.subspan(scan.rows * width);
    const size_t bytes = ChunkBytes(rest);
    if (room.size() < width || bytes == 0) return scan;
    const std::string_view chunk = rest.substr(0, bytes);
    // The next chunk probably has the same length. The prefetch is shifted by
    // kLead, so that it covers the end of that chunk, which is searched first.
    constexpr size_t kLead = 1024;
    const std::string_view ahead =
        rest.substr(std::min(bytes + kLead, rest.size()), bytes);
    if (ReadChunk(chunk, ahead, width, room, buffers, &scan)) continue;
    const RowsScan slow = ScanRowsScalar(chunk, width, room);
    scan.rows += slow.rows;
    scan.bytes += slow.bytes;
    scan.lines += slow.lines;
    if (slow.bytes < bytes) return scan;
  }
  return scan;
}
