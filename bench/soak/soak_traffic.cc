#include "bench/soak/soak_traffic.h"

#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <stop_token>

#include "bench/soak/soak_calls.h"
#include "bench/soak/soak_relay.h"

namespace bvhmill::bench {
namespace {

using std::chrono::milliseconds;

// One caller: what it needs for a round.
struct Caller {
  std::string address;
  const SoakClips* clips = nullptr;
  SoakTally* tally = nullptr;
  Random random;
  std::unique_ptr<Stub> stub;
};

const SoakClip* PickOf(const std::vector<SoakClip>& clips, Random* random) {
  return &clips[static_cast<size_t>(
      Pick(0, static_cast<int>(clips.size()) - 1, random))];
}

SoakClipList Some(const std::vector<SoakClip>& clips, int count,
                  Random* random) {
  SoakClipList out;
  for (int i = 0; i < count; ++i) out.push_back(PickOf(clips, random));
  return out;
}

void Sleep(int least_ms, int most_ms, Random* random) {
  std::this_thread::sleep_for(milliseconds(Pick(least_ms, most_ms, random)));
}

void Unary(Caller* caller) {
  const SoakClip* clip = PickOf(caller->clips->small, &caller->random);
  SoakUnary(caller->stub.get(), *clip, Pick(0, 2, &caller->random) == 0,
            caller->tally);
}

// More at once than one connection may have.
void Burst(Caller* caller) {
  SoakBurst(caller->stub.get(),
            Some(caller->clips->small, Pick(20, 200, &caller->random),
                 &caller->random),
            caller->tally);
  Sleep(0, 200, &caller->random);
}

void ManySmall(Caller* caller) {
  SoakStreamPlan plan;
  plan.clips = Some(caller->clips->small, Pick(1, 300, &caller->random),
                    &caller->random);
  plan.ordered = Pick(0, 1, &caller->random) == 0;
  plan.chunk_bytes = size_t{1} << Pick(12, 18, &caller->random);
  grpc::ClientContext context;
  SoakStream(caller->stub.get(), &context, plan, caller->tally);
}

void FewBig(Caller* caller) {
  SoakStreamPlan plan;
  plan.clips =
      Some(caller->clips->big, Pick(1, 3, &caller->random), &caller->random);
  plan.ordered = Pick(0, 1, &caller->random) == 0;
  grpc::ClientContext context;
  SoakStream(caller->stub.get(), &context, plan, caller->tally);
}

void SlowReader(Caller* caller) {
  SoakStreamPlan plan;
  plan.clips = Some(caller->clips->big, 2, &caller->random);
  plan.clips.push_back(PickOf(caller->clips->small, &caller->random));
  plan.read_pause = milliseconds(Pick(1, 40, &caller->random));
  grpc::ClientContext context;
  SoakStream(caller->stub.get(), &context, plan, caller->tally);
}

SoakStreamPlan ToBeGivenUp(Caller* caller) {
  SoakStreamPlan plan;
  plan.clips =
      Some(caller->clips->small, Pick(0, 30, &caller->random), &caller->random);
  plan.clips.push_back(PickOf(caller->clips->big, &caller->random));
  plan.may_end_early = true;
  return plan;
}

// Cancels a stream; or gives it a deadline, and cancels it 300 ms after that.
void Cancel(Caller* caller) {
  constexpr milliseconds kTimeout(300);
  const SoakStreamPlan plan = ToBeGivenUp(caller);
  milliseconds after(Pick(0, 200, &caller->random));
  grpc::ClientContext context;
  if (Pick(0, 1, &caller->random) == 0) {
    context.set_deadline(std::chrono::system_clock::now() + after);
    after += kTimeout;
  }
  const std::jthread cancelling([&] {
    std::this_thread::sleep_for(after);
    context.TryCancel();
  });
  SoakStream(caller->stub.get(), &context, plan, caller->tally);
}

// The connection breaks under a stream.
void Break(Caller* caller) {
  const SoakStreamPlan plan = ToBeGivenUp(caller);
  const BreakingRelay relay(caller->address,
                            milliseconds(Pick(0, 300, &caller->random)));
  const auto stub = Connect(relay.address());
  grpc::ClientContext context;
  SoakStream(stub.get(), &context, plan, caller->tally);
}

void Garbage(Caller* caller) {
  const int fd = DialToReset(caller->address);
  if (fd < 0) return caller->tally->Lose("a connection");
  std::string bytes = Pick(0, 1, &caller->random) == 0
                          ? ""
                          : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  for (int i = Pick(0, 5'000, &caller->random); i > 0; --i) {
    bytes += static_cast<char>(caller->random());
  }
  send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  Sleep(0, 300, &caller->random);
  close(fd);
}

void Rounds(const std::stop_token& stop, Caller caller,
            void (*round)(Caller*)) {
  constexpr int kRoundsOfAConnection = 100;
  for (int i = 0; !stop.stop_requested(); ++i) {
    if (i % kRoundsOfAConnection == 0) caller.stub = Connect(caller.address);
    round(&caller);
  }
}

struct Kind {
  const char* name;
  void (*round)(Caller*);
};
constexpr Kind kKinds[] = {{"unary", Unary},     {"unary", Unary},
                           {"burst", Burst},     {"small", ManySmall},
                           {"small", ManySmall}, {"big", FewBig},
                           {"slow", SlowReader}, {"cancel", Cancel},
                           {"break", Break},     {"garbage", Garbage}};

std::set<std::string> NamesOf(const std::string& callers) {
  std::set<std::string> names;
  std::istringstream in(callers);
  for (std::string name; std::getline(in, name, ',');) names.insert(name);
  return names;
}

}  // namespace

bool AreCallers(const std::string& callers) {
  const std::set<std::string> names = NamesOf(callers);
  return !names.empty() &&
         std::all_of(names.begin(), names.end(), [](const std::string& name) {
           return std::any_of(
               std::begin(kKinds), std::end(kKinds),
               [&](const Kind& kind) { return name == kind.name; });
         });
}

SoakTraffic::SoakTraffic(const std::string& address, const std::string& callers,
                         const SoakClips* clips, SoakTally* tally) {
  const std::set<std::string> names = NamesOf(callers);
  Random random(7);
  for (const Kind& kind : kKinds) {
    if (!names.contains(kind.name)) continue;
    Caller caller{address, clips, tally, Random(random()), nullptr};
    callers_.emplace_back([round = kind.round, caller = std::move(caller)](
                              const std::stop_token& stop) mutable {
      Rounds(stop, std::move(caller), round);
    });
  }
}

SoakTraffic::~SoakTraffic() {
  for (std::jthread& caller : callers_) caller.request_stop();
}

bool TakesAll(const std::string& address, const SoakClips& clips, int calls,
              SoakTally* tally) {
  constexpr int kTimes = 5;
  Random random(8);
  const int64_t before = tally->refused;
  const auto stub = Connect(address);
  for (int i = 0; i < kTimes; ++i) {
    SoakBurst(stub.get(), Some(clips.small, calls, &random), tally);
  }
  return tally->refused == before;
}

}  // namespace bvhmill::bench
