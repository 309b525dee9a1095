#include "server/store/fault_points.h"

#include <unistd.h>

#include <csignal>
#include <new>

namespace bvhmill::server {
namespace {

FaultPlan armed_plan;

}  // namespace

std::atomic<bool> FaultPoints::armed_{false};
std::atomic<int64_t> FaultPoints::reached_{0};

void FaultPoints::Arm(const FaultPlan& plan) {
  armed_plan = plan;
  reached_ = 0;
  armed_ = true;
}

int64_t FaultPoints::Disarm() {
  armed_ = false;
  return reached_;
}

Fault FaultPoints::ReachArmed(Effect effect) {
  if (armed_plan.only && *armed_plan.only != effect) return Fault::kNone;
  const int64_t number = ++reached_;
  const bool fails =
      armed_plan.at > 0 &&
      (armed_plan.lasts ? number >= armed_plan.at : number == armed_plan.at);
  if (!fails) return Fault::kNone;
  if (armed_plan.meanwhile) armed_plan.meanwhile();
  const bool is_half = armed_plan.fault == Fault::kKillWithinWrite;
  if (armed_plan.fault == Fault::kKill || (is_half && effect != Effect::kWrite))
    kill(getpid(), SIGKILL);
  if (armed_plan.fault == Fault::kNoMemory) throw std::bad_alloc();
  return armed_plan.fault;
}

}  // namespace bvhmill::server
