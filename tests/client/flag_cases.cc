#include "tests/client/flag_cases.h"

#include "tests/options/option_samples.h"

namespace bvhmill::testing {
namespace {

// The flag of a sample of the table of options.
OptionFlag FlagOfSample(const OptionSample& sample) {
  OptionFlag flag;
  flag.flag = FlagOf(sample.row->name).substr(2);
  for (const std::string& word : sample.words) {
    flag.value += (flag.value.empty() ? "" : ",") + word;
  }
  if (flag.value == "true") flag.value.clear();
  flag.options = sample.message;
  if (!sample.format.empty()) flag.with = {"--emit=" + sample.format};
  if (sample.needs.empty()) return flag;
  flag.with.push_back(FlagOf(sample.needs) + (sample.needs_word.empty()
                                                  ? ""
                                                  : "=" + sample.needs_word));
  flag.needs = sample.needs_message;
  return flag;
}

std::vector<OptionFlag> EmitFlags() {
  return {
      {"emit", "positions", "outputs { positions {} }"},
      {"emit", "rotations", "outputs { rotations {} }"},
      {"emit", "velocities", "outputs { velocities {} }"},
      {"emit", "npz", "outputs { npz {} }"},
      {"emit", "csv", "outputs { csv {} }"},
      {"emit", "bvh", "outputs { bvh {} }"},
      {"emit", "anim", "outputs { anim {} }"},
      {"emit", "values", "outputs { values {} }"},
      {"emit", "glb", "outputs { glb {} }"},
      {"emit", "csv,npz,csv", "outputs { csv {} } outputs { npz {} }"},
      {"end-sites",
       "",
       "outputs { positions { end_sites: true } } "
       "outputs { rotations { end_sites: true } } outputs { bvh {} }",
       {"--emit=positions,rotations,bvh"}},
      {"joint-map", "map.csv",
       "edits { joint_map_rows { source: 'from' target: 'to' } "
       "joint_map_rows { source: 'a' target: 'b' } }"},
  };
}

}  // namespace

std::vector<OptionFlag> OptionFlags() {
  std::vector<OptionFlag> all = EmitFlags();
  for (const OptionSample& sample : OptionSamples()) {
    // Not a flag: `info` asks for them.
    if (sample.row->group == OptionGroup::kResult) continue;
    all.push_back(FlagOfSample(sample));
  }
  return all;
}

std::vector<OtherFlag> OtherFlags() {
  return {
      {"help", "help-convert", "-h"},
      {"recursive", "convert-walk", "-r"},
      {"filelist", "convert-filelist", "--filelist"},
      {"files0", "convert-choose", "--files0"},
      {"follow", "convert-choose", "--follow"},
      {"include", "convert-choose", "--include"},
      {"exclude", "convert-choose", "--exclude"},
      {"delete", "convert-delete", "--delete"},
      {"dry-run", "convert-choose", "--dry-run"},
      {"csv", "convert-choose", "--csv"},
      {"from", "convert-from", "--from"},
      {"output", "convert-options", "-o"},
      {"force", "convert-exists", "-f"},
      {"resume", "convert-resume", "--resume"},
      {"table", "convert-table", "--table"},
      {"report-jsonl", "convert-jsonl", "--report-jsonl"},
      {"anim-constraints", "anim-constraints", "--anim-constraints"},
      {"jobs", "convert-no-memory", "--jobs"},
      {"quiet", "convert-quiet", "-q"},
      {"progress", "convert-quiet", "--progress"},
      {"server", "server-info", "--server"},
      {"tls-system", "server-tls-fails", "--tls-system"},
      {"tls-ca", "server-tls", "--tls-ca"},
      {"tls-cert", "server-tls", "--tls-cert"},
      {"tls-key", "server-tls", "--tls-key"},
      {"token-file", "server-token", "--token-file"},
      {"local", "info-text", "--local"},
      {"json", "validate-json", "--json"},
      {"fail-on", "validate-text", "--fail-on"},
      {"format", "validate-output", "--format"},
      {"summary", "validate-output", "--summary"},
      {"baseline", "validate-baseline", "--baseline"},
      {"write-baseline", "validate-baseline", "--write-baseline"},
      {"passed", "validate-passed", "--passed"},
      {"expectations", "validate-expectations", "--expectations"},
      {"no-expectations", "validate-expectations", "--no-expectations"},
      {"severity", "validate-severity", "--severity"},
      // ExitCodes.SilentServersAreGivenUp is its test.
      {"timeout", "usage-values", "--timeout"},
  };
}

std::vector<LocalLimit> LocalLimits() {
  return {
      {"max-clip-bytes", "1", "LIMIT_CLIP_BYTES"},
      {"max-header-bytes", "40", "LIMIT_HEADER_BYTES"},
      {"max-line-bytes", "1", "LIMIT_LINE_BYTES"},
      {"max-name-bytes", "1", "LIMIT_NAME_BYTES"},
      {"max-joints", "1", "LIMIT_JOINTS"},
      {"max-depth", "1", "LIMIT_DEPTH"},
      {"max-channels", "1", "LIMIT_CHANNELS"},
      {"max-frames", "1", "LIMIT_FRAMES"},
      {"max-output-bytes", "1", "max_output_bytes"},
      {"max-clip-memory-bytes",
       "1",
       "max_clip_memory_bytes = 1",
       {"0", "100000000"}},
      {"max-clip-work",
       "1",
       "max_clip_work = 1,",
       {"0", "100000000"},
       {"--max-clip-work-per-byte=1"}},
      {"max-clip-work-per-byte",
       "3",
       "3 for each of its",
       {"1000000"},
       {"--max-clip-work=1"}},
  };
}

}  // namespace bvhmill::testing
