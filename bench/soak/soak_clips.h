#pragma once

// The clips of the soak, with the expected answers.

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
  // True if the answer has a time to try again.
  bool may_retry = false;
  // Report and facts as JSON; empty if the clip was not read.
  std::string report;
  std::vector<std::string> outputs;

  bool operator==(const SoakAnswer&) const = default;
};

struct SoakClip {
  std::string name;
  // The bytes to send.
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

// Makes good and broken clips with outputs of every format. Some are
// compressed, and some of those are cut. Equal seeds give equal clips.
SoakClips MakeSoakClips(uint32_t seed);

// Makes the answer of a result; `outputs` are the received bytes.
SoakAnswer AnswerOf(const v1::ClipResult& result,
                    std::vector<std::string> outputs);

// Makes the answer of a failed call.
SoakAnswer AnswerOf(const grpc::Status& status);

using Random = std::mt19937;

// A random number of [least, most].
inline int Pick(int least, int most, Random* random) {
  return std::uniform_int_distribution<int>(least, most)(*random);
}

}  // namespace bvhmill::bench
