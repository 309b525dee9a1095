#include "client/python/module/flat_batch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "client/python/module/batch.h"
#include "client/python/module/conversion.h"

namespace bvhmill::python {
namespace {

void AddNumber(uint32_t number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Equal for clips of one layout: names of joints, parents and channels.
std::string LayoutKey(const ClipInfo& info) {
  std::string key;
  for (const JointInfo& joint : info.joints) {
    key.append(joint.end_site ? "" : joint.name).push_back('\n');
    key.append(joint.channels).push_back('\n');
    AddNumber(static_cast<uint32_t>(joint.parent), &key);
  }
  return key;
}

// Equal for clips of one rig within a layout.
std::string RigKey(const ClipInfo& info) {
  std::string key;
  for (const JointInfo& joint : info.joints) {
    key.push_back(joint.end_site ? 'e' : 'j');
    if (joint.end_site) key.append(joint.name).push_back('\n');
    for (const float value : joint.offset) {
      AddNumber(std::bit_cast<uint32_t>(value), &key);
    }
  }
  return key;
}

// The result of one file, kept until all files are read.
struct Piece {
  Converted converted;
};

class Assembler {
 public:
  Assembler(std::vector<Piece> pieces, FlatBatch* batch)
      : pieces_(std::move(pieces)), batch_(*batch) {}

  void Sort();
  void Assemble(int threads, Interrupts* interrupts);

 private:
  void AddTake(int64_t path);
  void MakeArrays(FlatGroup* group, int threads, Interrupts* interrupts);

  std::vector<Piece> pieces_;
  FlatBatch& batch_;
  std::unordered_map<std::string, size_t> groups_;
  // By group.
  std::vector<std::unordered_map<std::string, int32_t>> rigs_;
  // Clips of one skeleton share their list of joints: no key is made.
  JointList last_joints_;
  size_t last_group_ = 0;
  int32_t last_rig_ = 0;
};

void Assembler::AddTake(int64_t path) {
  const ConvertResult& result =
      pieces_[static_cast<size_t>(path)].converted.result;
  if (last_joints_.empty() || !result.info.joints.IsSharedWith(last_joints_)) {
    const auto [at, is_new] =
        groups_.try_emplace(LayoutKey(result.info), groups_.size());
    if (is_new) {
      batch_.groups.emplace_back().offsets.push_back(0);
      rigs_.emplace_back();
    }
    FlatGroup& group = batch_.groups[at->second];
    const auto [rig, is_new_rig] = rigs_[at->second].try_emplace(
        RigKey(result.info), static_cast<int32_t>(group.rigs.size()));
    if (is_new_rig) group.rigs.push_back(result.info);
    last_joints_ = result.info.joints;
    last_group_ = at->second;
    last_rig_ = rig->second;
  }
  FlatGroup& group = batch_.groups[last_group_];
  group.paths.push_back(path);
  group.offsets.push_back(group.offsets.back() + result.info.frames);
  group.rigs_of_takes.push_back(last_rig_);
  group.frame_times.push_back(result.info.frame_time);
}

void Assembler::Sort() {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Converted& converted = pieces_[i].converted;
    const auto path = static_cast<int64_t>(i);
    batch_.verdicts.push_back(converted.result.report.verdict);
    if (converted.os_error == 0 && FirstFailure(converted.result).ok()) {
      AddTake(path);
    } else {
      batch_.failures.push_back({path, converted.os_error,
                                 FirstFailure(converted.result),
                                 converted.result.report});
    }
  }
}

void Assembler::MakeArrays(FlatGroup* group, int threads,
                           Interrupts* interrupts) {
  const ConvertResult& first =
      pieces_[static_cast<size_t>(group->paths[0])].converted.result;
  std::vector<Bytes> arrays(first.outputs.size());
  std::vector<std::vector<int64_t>> shapes;
  std::vector<size_t> frame_bytes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    shapes.push_back(first.outputs[i].tensor->shape);
    shapes[i][0] = 1;
    size_t bytes = sizeof(float);
    for (const int64_t size : shapes[i]) bytes *= static_cast<size_t>(size);
    shapes[i][0] = group->offsets.back();
    frame_bytes.push_back(bytes);
    arrays[i].resize(bytes * static_cast<size_t>(group->offsets.back()));
  }
  const auto takes = static_cast<int64_t>(group->paths.size());
  RunTasks(takes, threads, interrupts, [&](int64_t take) {
    const auto at = static_cast<size_t>(take);
    Converted& converted =
        pieces_[static_cast<size_t>(group->paths[at])].converted;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const Bytes data = std::move(converted.data[i]);
      if (data.empty()) continue;
      const auto begin = static_cast<size_t>(group->offsets[at]);
      std::memcpy(arrays[i].data() + begin * frame_bytes[i], data.data(),
                  data.size());
    }
  });
  for (size_t i = 0; i < arrays.size(); ++i) {
    group->arrays.push_back(std::make_shared<Block>(
        std::move(arrays[i]), ElementType::kFloat32, shapes[i]));
  }
}

void Assembler::Assemble(int threads, Interrupts* interrupts) {
  std::stable_sort(batch_.groups.begin(), batch_.groups.end(),
                   [](const FlatGroup& a, const FlatGroup& b) {
                     return a.paths.size() > b.paths.size();
                   });
  for (FlatGroup& group : batch_.groups) {
    MakeArrays(&group, threads, interrupts);
  }
}

}  // namespace

FlatBatch ReadFlat(const std::vector<std::string>& paths,
                   const Choices& choices, int threads,
                   Interrupts* interrupts) {
  std::vector<Piece> pieces(paths.size());
  Choices alone = choices;
  alone.threads = 1;
  RunTasks(static_cast<int64_t>(paths.size()), threads, interrupts,
           [&](int64_t i) {
             const auto at = static_cast<size_t>(i);
             pieces[at].converted = ConvertFile(paths[at], alone, interrupts);
           });
  FlatBatch batch;
  if (interrupts->token()->IsCancelled()) return batch;
  Assembler assembler(std::move(pieces), &batch);
  assembler.Sort();
  assembler.Assemble(threads, interrupts);
  return batch;
}

}  // namespace bvhmill::python
