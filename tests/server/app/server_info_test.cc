// Compares GetServerInfo with the configuration of the operator. Each limit has
// a different value, so that swapped fields are found.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bvhmill/report/report.h"
#include "server/auth/tokens.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

void ConfigureJobs(server::JobLimits* limits) {
  server::JobLimits& jobs = *limits;
  jobs.max_jobs_per_caller = 501;
  jobs.max_items_per_job = 502;
  jobs.max_queued_items = 503;
  jobs.max_blob_bytes = 504;
  jobs.max_data_bytes = 505;
  jobs.min_free_disk_bytes = 506;
  jobs.job_retention_seconds = 507;
  jobs.blob_retention_seconds = 508;
  jobs.max_item_tries = 509;
  jobs.max_wait_seconds = 510;
  jobs.max_queued_items_per_caller = 511;
  jobs.max_data_bytes_per_caller = 512;
}

// A new limit needs a value here, and its line in kLimits.
void Configure(server::ServerConfig* config) {
  config->limits.max_clip_bytes = 1'000'001;
  config->limits.max_header_bytes = 1'000'002;
  config->limits.max_line_bytes = 1'000'003;
  config->limits.max_name_bytes = 1'004;
  config->limits.max_joints = 1'005;
  config->limits.max_depth = 1'006;
  config->limits.max_channels = 1'007;
  config->limits.max_frames = 1'000'008;
  config->limits.max_issues_per_report = 109;
  config->limits.max_outputs_per_clip = 10;
  config->limits.max_output_bytes = 1'000'011;
  config->limits.max_clip_memory_bytes = 1'000'012;
  config->limits.max_clip_work = 1'000'013;
  config->limits.max_clip_work_per_byte = 114;
  server::ServiceLimits& service = config->service;
  service.max_request_message_bytes = 2'000'001;
  service.max_unary_response_bytes = 2'000'002;
  service.recommended_chunk_bytes = 200'003;
  service.max_unfinished_clips_per_stream = 24;
  service.max_unfinished_bytes_per_stream = 2'000'005;
  service.max_unsent_bytes_per_stream = 2'000'006;
  service.max_total_stream_bytes = 200'000'007;
  service.idle_seconds = 208;
  service.min_upload_bytes_per_second = 209;
  service.idle_between_seconds = 210;
  server::AdmissionLimits& admission = config->admission;
  admission.max_inflight_clips = 301;
  admission.max_inflight_bytes = 3'000'000'002;
  admission.max_inflight_clips_per_connection = 303;
  admission.max_inflight_bytes_per_connection = 3'000'000'004;
  admission.max_inflight_clips_per_caller = 305;
  admission.max_inflight_bytes_per_caller = 3'000'000'006;
  admission.max_streams = 307;
  admission.max_streams_per_caller = 308;
  server::TransportLimits& transport = config->transport;
  transport.max_streams_per_connection = 401;
  transport.max_transport_bytes = 1'000'000'402;
  transport.max_connection_age_seconds = 1'403;
  transport.max_connection_age_grace_seconds = 404;
  transport.keepalive_seconds = 405;
  transport.keepalive_timeout_seconds = 46;
  transport.min_ping_seconds = 47;
  transport.max_connections = 48;
  transport.handshake_seconds = 49;
  transport.max_request_seconds = 411;
  ConfigureJobs(&config->jobs);
}

constexpr char kLimits[] = R"(
  max_request_message_bytes: 2000001
  max_unary_response_bytes: 2000002
  recommended_chunk_bytes: 200003
  max_clip_bytes: 1000001
  max_frames: 1000008
  max_joints: 1005
  max_outputs_per_clip: 10
  max_issues_per_report: 109
  max_unfinished_clips_per_stream: 24
  max_channels: 1007
  max_depth: 1006
  max_line_bytes: 1000003
  max_name_bytes: 1004
  max_output_bytes: 1000011
  max_unfinished_bytes_per_stream: 2000005
  max_header_bytes: 1000002
  max_inflight_clips: 301
  max_inflight_bytes: 3000000002
  max_inflight_clips_per_connection: 303
  max_inflight_bytes_per_connection: 3000000004
  max_inflight_clips_per_caller: 305
  max_inflight_bytes_per_caller: 3000000006
  max_streams: 307
  max_streams_per_caller: 308
  max_streams_per_connection: 401
  max_unsent_bytes_per_stream: 2000006
  max_total_stream_bytes: 200000007
  idle_seconds: 208
  idle_between_seconds: 210
  max_connection_age_seconds: 1403
  min_ping_seconds: 47
  min_upload_bytes_per_second: 209
  max_request_seconds: 411
  max_connections: 48
  handshake_seconds: 49
  max_transport_bytes: 1000000402
  max_connection_age_grace_seconds: 404
  keepalive_seconds: 405
  keepalive_timeout_seconds: 46
  max_clip_memory_bytes: 1000012
  max_clip_work: 1000013
  max_clip_work_per_byte: 114
  max_jobs_per_caller: 501
  max_items_per_job: 502
  max_queued_items: 503
  max_blob_bytes: 504
  max_data_bytes: 505
  min_free_disk_bytes: 506
  job_retention_seconds: 507
  blob_retention_seconds: 508
  max_item_tries: 509
  max_wait_seconds: 510
  max_queued_items_per_caller: 511
  max_data_bytes_per_caller: 512
  # Twice max_request_message_bytes.
  max_received_message_bytes: 4000002
  # No operator chooses these.
  max_option_bytes: 1048576
  max_joint_names: 20000
  max_joint_name_bytes: 4096
  max_codes: 1024
  max_joint_priorities: 1024
  max_output_id_bytes: 1024
  max_clip_key_bytes: 1024
)";

class ServerInfoTest : public ServerTest {
 protected:
  v1::GetServerInfoResponse Info(const std::string& token = "") {
    grpc::ClientContext context;
    if (!token.empty()) {
      context.AddMetadata("authorization", "Bearer " + token);
    }
    v1::GetServerInfoResponse response;
    EXPECT_TRUE(info_->GetServerInfo(&context, {}, &response).ok());
    return response;
  }
};

TEST_F(ServerInfoTest, LimitsAreThoseOfTheOperator) {
  // Limits per caller are those of a token.
  const TempDir dir;
  std::string line;
  ASSERT_TRUE(server::HashToken("ann", "secret", &line).ok());
  WriteFile(dir.File("tokens"), line + "\n");
  Start([&dir](server::ServerConfig* config) {
    Configure(config);
    config->token_file = dir.File("tokens");
  });
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(ParseText<v1::Limits>(kLimits),
                                  Info("secret").limits()))
      << difference;
}

TEST_F(ServerInfoTest, LimitsAreAllInTheTable) {
  FieldCoverage coverage;
  coverage.Add(ParseText<v1::Limits>(kLimits));
  EXPECT_THAT(coverage.Missing(v1::Limits::descriptor()), IsEmpty());
}

// Two equal values could be exchanged unseen.
TEST_F(ServerInfoTest, ValuesOfTheTableDiffer) {
  const std::set<std::string> bounds = {"max_codes", "max_joint_priorities",
                                        "max_output_id_bytes",
                                        "max_clip_key_bytes"};
  const auto limits = ParseText<v1::Limits>(kLimits);
  const auto* reflection = v1::Limits::GetReflection();
  std::set<int64_t> values;
  for (int i = 0; i < v1::Limits::descriptor()->field_count(); ++i) {
    const auto* field = v1::Limits::descriptor()->field(i);
    if (bounds.contains(field->name())) continue;
    const bool is_small =
        field->type() == google::protobuf::FieldDescriptor::TYPE_INT32;
    const int64_t value = is_small ? reflection->GetInt32(limits, field)
                                   : reflection->GetInt64(limits, field);
    EXPECT_TRUE(values.insert(value).second) << field->name();
  }
}

// A limit that is off is stated as 0.
TEST_F(ServerInfoTest, AMissingLimitIsZero) {
  Start([](server::ServerConfig* config) {
    config->limits.max_frames = 0;
    config->service.max_request_message_bytes = 0;
    config->transport.max_connection_age_seconds = 0;
  });
  const v1::Limits limits = Info().limits();
  EXPECT_EQ(limits.max_frames(), 0);
  EXPECT_EQ(limits.max_request_message_bytes(), 0);
  EXPECT_EQ(limits.max_connection_age_seconds(), 0);
  // The largest number that gRPC accepts.
  EXPECT_EQ(limits.max_received_message_bytes(), 2'147'483'647);
}

constexpr char kAllButLimits[] = R"(
  api_packages: 'bvhmill.v1'
  formats { format: 'positions' file_extension: '.positions.npy'
            media_type: 'application/vnd.bvhmill.tensor' }
  formats { format: 'rotations' file_extension: '.rotations.npy'
            media_type: 'application/vnd.bvhmill.tensor' }
  formats { format: 'velocities' file_extension: '.velocities.npy'
            media_type: 'application/vnd.bvhmill.tensor' }
  formats { format: 'npz' file_extension: '.npz'
            media_type: 'application/zip' }
  formats { format: 'csv' file_extension: '.csv' media_type: 'text/csv' }
  formats { format: 'bvh' file_extension: '.bvh'
            media_type: 'text/x-bvh' }
  formats { format: 'anim' file_extension: '.anim'
            media_type: 'application/vnd.ll.animation' }
  formats { format: 'values' file_extension: '.values.npy'
            media_type: 'application/vnd.bvhmill.tensor' }
  formats { format: 'glb' file_extension: '.glb'
            media_type: 'model/gltf-binary' }
  source_formats { format: SOURCE_FORMAT_BVH name: 'bvh'
                   media_type: 'text/x-bvh' file_extension: '.bvh' }
  source_formats { format: SOURCE_FORMAT_ANIM name: 'anim'
                   media_type: 'application/vnd.ll.animation'
                   file_extension: '.anim' }
  encodings: CONTENT_ENCODING_IDENTITY
  encodings: CONTENT_ENCODING_GZIP
  encodings: CONTENT_ENCODING_ZSTD
  build { worker_threads: 3 }
)";

TEST_F(ServerInfoTest, FormatsEncodingsMapsAndBuildAreStated) {
  Start([](server::ServerConfig* config) { config->threads = 3; });
  v1::GetServerInfoResponse info = Info();
  EXPECT_THAT(info.joint_maps(), Contains("mixamo"));
  EXPECT_THAT(info.joint_maps(), Contains("cmu"));
  EXPECT_NE(info.server_version(), "");
  EXPECT_NE(info.build().git_commit(), "");
  EXPECT_NE(info.build().compiler(), "");
  EXPECT_NE(info.build().compiler(), info.build().git_commit());
  EXPECT_EQ(info.rules_version(), kRulesVersion);
  info.clear_rules_version();
  info.clear_limits();
  info.clear_joint_maps();
  info.clear_server_version();
  info.mutable_build()->clear_git_commit();
  info.mutable_build()->clear_compiler();
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(
      ParseText<v1::GetServerInfoResponse>(kAllButLimits), info))
      << difference;
}

}  // namespace
}  // namespace bvhmill::testing
