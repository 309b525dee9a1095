// Many calls, each of which is small and answered or refused at once.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <string>

#include "bvhmill/v1/server_service.grpc.pb.h"
#include "tests/attack/attack.h"
#include "tests/attack/clip_case.h"
#include "tests/attack/texts.h"

namespace bvhmill::attack {
namespace {

constexpr int kCallers = 16;

// Each caller makes calls as fast as they are answered.
void Flood(Target* target,
           const std::function<void(v1::ClipService::Stub*,
                                    grpc::ClientContext*)>& call) {
  Repeat(kCallers, target, [&](int) {
    const auto stub = target->Connect();
    while (!target->stopped()) {
      target->Call(
          [&](grpc::ClientContext* context) { call(stub.get(), context); });
    }
  });
}

void SendSmall(const v1::ConvertClipRequest& request, Target* target,
               v1::ClipService::Stub* stub, grpc::ClientContext* context) {
  v1::ConvertClipResponse response;
  stub->ConvertClip(context, request, &response);
  target->AddSent(request.ByteSizeLong());
}

v1::ConvertClipRequest SmallRequest() {
  v1::ConvertClipRequest request;
  request.mutable_source()->set_data(WideSkeleton(2, "a", 3) +
                                     Motion(1, "1 2 3", 1));
  request.mutable_options()->add_outputs()->mutable_positions();
  return request;
}

void LargeMetadata(Target* target) {
  const v1::ConvertClipRequest request = SmallRequest();
  Flood(target, [&](v1::ClipService::Stub* stub, grpc::ClientContext* context) {
    context->AddMetadata("x-request-id", std::string(3'000, 'x'));
    for (int i = 0; i < 40; ++i) {
      context->AddMetadata("x-" + std::to_string(i), std::string(100, 'v'));
    }
    target->AddSent(8'000);
    SendSmall(request, target, stub, context);
  });
}

void RefusedCalls(Target* target) {
  v1::ConvertClipRequest request = SmallRequest();
  request.mutable_options()->mutable_validation()->add_only(
      std::string(100'000, 'x'));
  Flood(target, [&](v1::ClipService::Stub* stub, grpc::ClientContext* context) {
    SendSmall(request, target, stub, context);
  });
}

void ManyCodes(Target* target) {
  v1::ConvertClipRequest request = SmallRequest();
  auto* severities =
      request.mutable_options()->mutable_validation()->mutable_severities();
  for (int i = 0; i < 1'024; ++i) {
    (*severities)["CODE_" + std::to_string(i)] = v1::SEVERITY_HINT;
  }
  Flood(target, [&](v1::ClipService::Stub* stub, grpc::ClientContext* context) {
    SendSmall(request, target, stub, context);
  });
}

void LongIds(Target* target) {
  v1::ConvertClipRequest request = SmallRequest();
  request.mutable_options()->clear_outputs();
  for (int i = 0; i < 16; ++i) {
    AddOutput(&request)->mutable_csv();
    request.mutable_options()->mutable_outputs(i)->set_id(
        std::to_string(i) + std::string(1'000, 'i'));
  }
  Flood(target, [&](v1::ClipService::Stub* stub, grpc::ClientContext* context) {
    SendSmall(request, target, stub, context);
  });
}

void ManyPriorities(Target* target) {
  v1::ConvertClipRequest request = SmallRequest();
  request.mutable_options()->clear_outputs();
  for (int i = 0; i < 16; ++i) {
    v1::AnimFormat* anim = AddOutput(&request)->mutable_anim();
    for (int k = 0; k < 1'024; ++k) {
      anim->add_joint_priority()->set_joint("mPelvis");
    }
  }
  Flood(target, [&](v1::ClipService::Stub* stub, grpc::ClientContext* context) {
    SendSmall(request, target, stub, context);
  });
}

void UnknownMethods(Target* target) {
  Repeat(kCallers, target, [&](int i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::GenericStub stub(grpc::CreateCustomChannel(
        target->address(), grpc::InsecureChannelCredentials(), arguments));
    for (int64_t k = 0; !target->stopped(); ++k) {
      const std::string method = "/" + std::string(2'000, 'm') +
                                 std::to_string(i) + "/" + std::to_string(k);
      target->Call([&](grpc::ClientContext* context) {
        grpc::CompletionQueue queue;
        const auto call =
            stub.PrepareUnaryCall(context, method, grpc::ByteBuffer(), &queue);
        call->StartCall();
        grpc::ByteBuffer answer;
        grpc::Status status;
        call->Finish(&answer, &status, nullptr);
        void* tag = nullptr;
        bool ok = false;
        queue.Next(&tag, &ok);
        target->AddSent(method.size());
      });
    }
  });
}

void ServerInfo(Target* target) {
  Repeat(kCallers, target, [&](int) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = v1::ServerService::NewStub(grpc::CreateCustomChannel(
        target->address(), grpc::InsecureChannelCredentials(), arguments));
    while (!target->stopped()) {
      target->Call([&](grpc::ClientContext* context) {
        v1::GetServerInfoResponse response;
        stub->GetServerInfo(context, {}, &response);
      });
    }
  });
}

// Connections that make one call each.
void NewConnections(Target* target) {
  const v1::ConvertClipRequest request = SmallRequest();
  Repeat(kCallers, target, [&](int) {
    const auto stub = target->Connect();
    target->Call([&](grpc::ClientContext* context) {
      SendSmall(request, target, stub.get(), context);
    });
  });
}

}  // namespace

std::vector<Attack> FloodAttacks() {
  return {
      {"metadata", "calls with 8 KB of metadata and long request ids",
       LargeMetadata},
      {"refused-calls", "calls refused for a code of 100 KB", RefusedCalls},
      {"severities", "calls with 1,024 severities of unknown codes", ManyCodes},
      {"output-ids", "calls with 16 outputs of long ids", LongIds},
      {"priorities", "calls with 16 anim of 1,024 priorities", ManyPriorities},
      {"unknown-methods", "calls of methods with names of 2 KB",
       UnknownMethods},
      {"server-info", "GetServerInfo without end", ServerInfo},
      {"new-connections", "a connection for each call", NewConnections}};
}

}  // namespace bvhmill::attack
