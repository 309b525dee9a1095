// The C++ side of the benchmark of the Python package: converts a file in this
// process whenever it is asked to, so that both sides are measured in turns.
//
//   convert_twin FILE
//
// Each line of stdin is a number of conversions; the answer is a line with the
// seconds that one took, and the sum of the bytes of the outputs. Positions and
// values go to memory that is warm after the first conversion.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace {

class WarmReceiver final : public bvhmill::OutputReceiver {
 public:
  absl::Status Begin(const bvhmill::ClipInfo& /*info*/,
                     std::span<const bvhmill::OutputInfo> outputs) override {
    memory_.resize(outputs.size());
    ends_.assign(outputs.size(), 0);
    return absl::OkStatus();
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    std::vector<char>& memory = memory_[output];
    size_t& end = ends_[output];
    if (end + bytes.size() > memory.size()) {
      memory.resize(std::max(end + bytes.size(), 2 * memory.size()));
    }
    if (!bytes.empty()) {
      std::memcpy(memory.data() + end, bytes.data(), bytes.size());
    }
    end += bytes.size();
    return absl::OkStatus();
  }

  size_t TotalBytes() const {
    size_t total = 0;
    for (const size_t end : ends_) total += end;
    return total;
  }

 private:
  std::vector<std::vector<char>> memory_;
  std::vector<size_t> ends_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  bvhmill::ConvertOptions options;
  options.outputs = {{"values", bvhmill::ValuesFormat{}},
                     {"positions", bvhmill::PositionsFormat{}}};
  bvhmill::Converter converter(bvhmill::Parallelism::None());
  WarmReceiver receiver;
  bvhmill::ConvertResult result;
  int count = 0;
  while (std::cin >> count) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      converter.ConvertInto(text, options, &receiver, nullptr, &result);
    }
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    if (!result.status.ok()) return 1;
    std::cout << seconds.count() / count << " " << receiver.TotalBytes()
              << std::endl;
  }
  return 0;
}
