#include "tests/server/jobs/job_fixture.h"

#include <chrono>

namespace bvhmill::testing {

std::unique_ptr<grpc::ClientContext> JobCalls::Context() const {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
  if (!token_.empty()) {
    context->AddMetadata("authorization", "Bearer " + token_);
  }
  return context;
}

grpc::Status JobCalls::Write(const std::string& blob, const std::string& bytes,
                             int64_t offset, bool finish,
                             v1::WriteBlobResponse* response) {
  const auto context = Context();
  const auto stream = blobs_->WriteBlob(context.get(), response);
  constexpr size_t kChunk = 1000;
  size_t at = 0;
  do {
    v1::WriteBlobRequest request;
    if (at == 0) request.set_blob(blob);
    if (at == 0) request.set_offset(offset);
    request.set_data(bytes.substr(at, kChunk));
    at += request.data().size();
    request.set_finish(finish && at == bytes.size());
    if (!stream->Write(request)) break;
  } while (at < bytes.size());
  stream->WritesDone();
  return stream->Finish();
}

std::string JobCalls::Store(const std::string& bytes) {
  v1::WriteBlobResponse response;
  const grpc::Status status = Write(BlobOf(bytes), bytes, 0, true, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.finished());
  return BlobOf(bytes);
}

grpc::Status JobCalls::Read(const std::string& blob, int64_t offset,
                            int64_t limit, std::string* bytes) {
  const auto context = Context();
  v1::ReadBlobRequest request;
  request.set_blob(blob);
  request.set_offset(offset);
  request.set_limit(limit);
  const auto stream = blobs_->ReadBlob(context.get(), request);
  v1::ReadBlobResponse response;
  while (stream->Read(&response)) bytes->append(response.data());
  return stream->Finish();
}

grpc::Status JobCalls::DeleteBlob(const std::string& blob) {
  v1::DeleteBlobRequest request;
  request.set_blob(blob);
  v1::DeleteBlobResponse response;
  return blobs_->DeleteBlob(Context().get(), request, &response);
}

std::vector<std::string> JobCalls::Missing(
    const std::vector<std::string>& blobs) {
  const auto context = Context();
  v1::FindMissingBlobsRequest request;
  for (const std::string& blob : blobs) request.add_blobs(blob);
  v1::FindMissingBlobsResponse response;
  const grpc::Status status =
      blobs_->FindMissingBlobs(context.get(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return {response.missing().begin(), response.missing().end()};
}

grpc::Status JobCalls::Create(const v1::CreateJobRequest& request,
                              v1::Job* job) {
  v1::CreateJobResponse response;
  const grpc::Status status =
      jobs_->CreateJob(Context().get(), request, &response);
  *job = response.job();
  return status;
}

grpc::Status JobCalls::Get(const std::string& name, v1::Job* job) {
  v1::GetJobRequest request;
  request.set_name(name);
  v1::GetJobResponse response;
  const grpc::Status status =
      jobs_->GetJob(Context().get(), request, &response);
  *job = response.job();
  return status;
}

v1::Job JobCalls::Await(const std::string& name) {
  v1::WaitJobRequest request;
  request.set_name(name);
  v1::WaitJobResponse response;
  for (int i = 0; i < 60; ++i) {
    const grpc::Status status =
        jobs_->WaitJob(Context().get(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (!status.ok() || response.job().state() >= v1::JOB_STATE_SUCCEEDED) {
      break;
    }
  }
  return response.job();
}

std::map<std::string, v1::ClipResult> JobCalls::Results(const std::string& name,
                                                        int page_size) {
  std::map<std::string, v1::ClipResult> results;
  v1::ListJobResultsRequest request;
  request.set_name(name);
  request.set_page_size(page_size);
  while (true) {
    v1::ListJobResultsResponse response;
    grpc::Status status;
    // A server whose database was started again has to connect to it.
    Eventually([&] {
      status = jobs_->ListJobResults(Context().get(), request, &response);
      return status.error_code() != grpc::StatusCode::UNAVAILABLE;
    });
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_LE(response.results_size(), page_size);
    for (const v1::ClipResult& result : response.results()) {
      EXPECT_TRUE(results.emplace(result.key(), result).second) << result.key();
    }
    if (response.results().empty()) return results;
    request.set_page_token(response.next_page_token());
  }
}

grpc::Status JobCalls::Cancel(const std::string& name, v1::Job* job) {
  v1::CancelJobRequest request;
  request.set_name(name);
  v1::CancelJobResponse response;
  const grpc::Status status =
      jobs_->CancelJob(Context().get(), request, &response);
  *job = response.job();
  return status;
}

grpc::Status JobCalls::Delete(const std::string& name) {
  v1::DeleteJobRequest request;
  request.set_name(name);
  v1::DeleteJobResponse response;
  return jobs_->DeleteJob(Context().get(), request, &response);
}

std::vector<std::string> JobCalls::List(int page_size) {
  std::vector<std::string> names;
  v1::ListJobsRequest request;
  request.set_page_size(page_size);
  do {
    v1::ListJobsResponse response;
    const grpc::Status status =
        jobs_->ListJobs(Context().get(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    for (const v1::Job& job : response.jobs()) names.push_back(job.name());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return names;
}

v1::CreateJobRequest JobOfClips(const std::vector<std::string>& clips) {
  v1::CreateJobRequest request;
  request.mutable_options()->add_outputs()->mutable_positions();
  for (size_t i = 0; i < clips.size(); ++i) {
    v1::JobItem* const item = request.add_items();
    item->set_key(std::to_string(i));
    item->mutable_source()->set_blob(BlobOf(clips[i]));
  }
  return request;
}

std::vector<std::string> SomeClips(int count) {
  std::vector<std::string> clips;
  for (int i = 0; i < count; ++i) clips.push_back(SmallClip(2 + i));
  return clips;
}

void JobServerTest::StartJobs(
    const std::function<void(server::ServerConfig*)>& configure) {
  server_ = nullptr;
  Start([&](server::ServerConfig* config) {
    config->data_dir = folder_;
    config->log = server::LogFormat::kOff;
    if (configure) configure(config);
  });
  calls_ = std::make_unique<JobCalls>(channel_);
}

}  // namespace bvhmill::testing
