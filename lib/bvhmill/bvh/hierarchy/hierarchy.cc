#include "bvhmill/bvh/hierarchy/hierarchy.h"

#include <string>
#include <utility>

#include "bvhmill/base/utf8.h"
#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"
#include "bvhmill/bvh/hierarchy/hierarchy_reader.h"
#include "bvhmill/bvh/motion/location.h"

namespace bvhmill {
namespace {

int64_t ListedCount(const Hierarchy& hierarchy, const ChannelDispute& dispute) {
  return hierarchy.skeleton.nodes[static_cast<size_t>(dispute.node)]
      .channel_count;
}

IssueArgs ArgsOf(const Hierarchy& hierarchy, const ChannelDispute& dispute) {
  return {{"joint", Quote(DisplayName(hierarchy.skeleton, dispute.node))},
          {"count", std::to_string(dispute.count)},
          {"listed", std::to_string(ListedCount(hierarchy, dispute))}};
}

// Cuts the channel list of each disputed node to the stated count.
void TakeCounts(Hierarchy* hierarchy) {
  Skeleton& skeleton = hierarchy->skeleton;
  std::vector<int64_t> counts;
  for (const Node& node : skeleton.nodes) counts.push_back(node.channel_count);
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    counts[static_cast<size_t>(dispute.node)] = dispute.count;
  }
  std::vector<Channel> channels;
  for (size_t i = 0; i < counts.size(); ++i) {
    Node& node = skeleton.nodes[i];
    const auto listed = ChannelsOf(skeleton, node).first(counts[i]);
    node.first_channel = static_cast<int32_t>(channels.size());
    node.channel_count = static_cast<int32_t>(counts[i]);
    channels.insert(channels.end(), listed.begin(), listed.end());
  }
  skeleton.channels = std::move(channels);
}

// The memory of the skeleton that was shared last, if no clip holds it.
void TakeBackMemory(Hierarchy* hierarchy) {
  hierarchy->source.reset();
  SourceSkeleton* shared = hierarchy->room.shared.get();
  if (shared == nullptr || hierarchy->room.shared.use_count() > 1) return;
  if (shared->skeleton.nodes.empty()) return;
  hierarchy->skeleton = std::move(shared->skeleton);
  hierarchy->places = std::move(shared->node_positions);
}

}  // namespace

void Clear(Hierarchy* hierarchy) {
  TakeBackMemory(hierarchy);
  std::vector<Node>& nodes = hierarchy->skeleton.nodes;
  std::vector<std::string>& names = hierarchy->room.names;
  if (!nodes.empty()) names.clear();
  while (!nodes.empty()) {
    names.push_back(std::move(nodes.back().name));
    nodes.pop_back();
  }
  hierarchy->skeleton.channels.clear();
  hierarchy->disputes.clear();
  hierarchy->ended = false;
  hierarchy->places.clear();
  hierarchy->room.stack.clear();
}

void ShareSkeleton(Hierarchy* hierarchy) {
  if (hierarchy->source != nullptr) return;
  std::shared_ptr<SourceSkeleton>& shared = hierarchy->room.shared;
  if (shared == nullptr || shared.use_count() > 1) {
    shared = std::make_shared<SourceSkeleton>();
  }
  shared->skeleton = std::move(hierarchy->skeleton);
  shared->node_positions = std::move(hierarchy->places);
  hierarchy->skeleton = {};
  hierarchy->places = {};
  hierarchy->source = shared;
}

bool ReadHierarchy(Cursor* cursor, const Limits& limits, TextEncoding names,
                   HierarchyCache* cache, IssueLog* log, Hierarchy* hierarchy) {
  if (cache != nullptr && FindCached(*cache, limits, names, cursor, hierarchy))
    return true;
  Clear(hierarchy);
  const int64_t logged = log->added();
  if (!HierarchyReader(cursor, limits, names, log, hierarchy).Read())
    return false;
  if (cache != nullptr && log->added() == logged && cursor->comments() == 0) {
    StoreCached(limits, names, *cursor, hierarchy, cache);
  }
  return true;
}

bool SettleDisputes(int64_t row_width, IssueLog* log, Hierarchy* hierarchy) {
  if (hierarchy->disputes.empty()) return true;
  const auto listed = static_cast<int64_t>(hierarchy->skeleton.channels.size());
  int64_t counted = listed;
  bool counts_fit = true;
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    const int64_t names = ListedCount(*hierarchy, dispute);
    // If the count were above the list, columns would have no channel.
    counts_fit &= dispute.count <= names;
    counted += dispute.count <= names ? dispute.count - names : 0;
  }
  const bool take_list = row_width == listed;
  const bool take_counts = !take_list && counts_fit && row_width == counted;
  for (const ChannelDispute& dispute : hierarchy->disputes) {
    IssueArgs args = ArgsOf(*hierarchy, dispute);
    const Location at =
        LocationAt(dispute.place, hierarchy->skeleton, dispute.node);
    if (take_list || take_counts) {
      args.emplace_back("used", take_list ? "the list" : "the count");
      log->Add(IssueCode::CHANNEL_COUNT_MISMATCH, at, std::move(args));
    } else {
      args.emplace_back("width", std::to_string(row_width));
      log->Add(IssueCode::CHANNEL_COUNT_UNDECIDED, at, std::move(args));
    }
  }
  if (take_counts) TakeCounts(hierarchy);
  return take_list || take_counts;
}

}  // namespace bvhmill
