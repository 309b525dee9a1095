#pragma once

// The clips of the soak: what is sent of each, and what must come back.

#include <grpcpp/support/status.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::bench {

// The answer of a server for one clip, without times.
struct SoakAnswer {
  int code = 0;
  std::string reason;
  std::string message;
  // It says when to try again.
  bool may_retry = false;
  // Report and facts as JSON; empty if the clip was not read.
  std::string report;
  std::vector<std::string> outputs;

  bool operator==(const SoakAnswer&) const = default;
};

struct SoakClip {
  std::string name;
  // As they are sent.
  std::string data;
  v1::ContentEncoding encoding = v1::CONTENT_ENCODING_IDENTITY;
  v1::ConvertOptions options;
  // The expected answers of ConvertClips and ValidateClip, made by the library
  // in this process.
  SoakAnswer converted;
  SoakAnswer checked;
};

struct SoakClips {
  // Up to about 100 KB.
  std::vector<SoakClip> small;
  // Some MB.
  std::vector<SoakClip> big;
};

// The same clips for the same seed: good and broken ones, some of them
// compressed, some of those cut, to every format there is.
SoakClips MakeSoakClips(uint32_t seed);

// The answer that a result stands for; `outputs` are the bytes that came.
SoakAnswer AnswerOf(const v1::ClipResult& result,
                    std::vector<std::string> outputs);

// The same of a call that failed.
SoakAnswer AnswerOf(const grpc::Status& status);

using Random = std::mt19937;

// A random number of [least, most].
inline int Pick(int least, int most, Random* random) {
  return std::uniform_int_distribution<int>(least, most)(*random);
}

}  // namespace bvhmill::bench
