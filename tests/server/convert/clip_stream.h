#pragma once

// Streams of clips at a server, and the responses by clip.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/fixture.h"

namespace bvhmill::testing {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;

// The response frames of one clip.
struct Answer {
  bool begun = false;
  std::vector<std::string> outputs;
  int results = 0;
  v1::ClipResult result;
};

class StreamTest : public ServerTest {
 protected:
  // Sends `requests` while it reads, closes, and sorts what comes by key.
  grpc::Status Run(const std::vector<Request>& requests) {
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    std::thread reader([&] {
      Response response;
      while (stream->Read(&response)) Take(response);
    });
    for (const Request& request : requests) {
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
    reader.join();
    return stream->Finish();
  }

  void Take(const Response& response) {
    if (response.has_begin()) {
      Answer& answer = answers_[response.begin().key()];
      EXPECT_FALSE(answer.begun);
      answer.begun = true;
      answer.outputs.resize(response.begin().outputs_size());
    } else if (response.has_output_chunk()) {
      const v1::OutputChunk& chunk = response.output_chunk();
      Answer& answer = answers_[chunk.key()];
      EXPECT_EQ(answer.results, 0) << "a chunk after the result";
      std::string& output = answer.outputs.at(chunk.output_index());
      EXPECT_EQ(chunk.offset(), output.size());
      output += chunk.data();
    } else {
      Answer& answer = answers_[response.result().key()];
      ++answer.results;
      answer.result = response.result();
      order_.push_back(response.result().key());
    }
  }

  std::map<std::string, Answer> answers_;
  std::vector<std::string> order_;
};

inline v1::ConvertOptions Positions() {
  v1::ConvertOptions options;
  options.add_outputs()->mutable_positions();
  return options;
}

inline Request Open(bool ordered = false) {
  Request request;
  *request.mutable_open()->mutable_options() = Positions();
  request.mutable_open()->set_ordered(ordered);
  return request;
}

inline Request Whole(const std::string& key, const std::string& text) {
  Request request;
  request.mutable_begin()->set_key(key);
  request.mutable_begin()->mutable_source()->set_data(text);
  request.mutable_begin()->set_complete(true);
  return request;
}

inline Request Begin(const std::string& key) {
  Request request;
  request.mutable_begin()->set_key(key);
  return request;
}

inline Request Chunk(const std::string& bytes) {
  Request request;
  request.set_chunk(bytes);
  return request;
}

inline Request End(bool abandon = false) {
  Request request;
  request.mutable_end()->set_abandon(abandon);
  return request;
}

}  // namespace bvhmill::testing
