#include "bvhmill/edit/root_turn.h"

#include <algorithm>
#include <cmath>

namespace bvhmill {
namespace {

constexpr std::array<Channel, 3> kNewRotations = {
    Channel::kZRotation, Channel::kXRotation, Channel::kYRotation};

std::vector<RootTurn::Term> TermsOf(const EditedSkeleton& edited,
                                    const Node& node) {
  std::vector<RootTurn::Term> terms;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const auto column = static_cast<size_t>(node.first_channel + i);
    const Channel channel = edited.skeleton.channels[column];
    if (!IsRotation(channel)) continue;
    terms.push_back({AxisOf(channel), edited.columns[column]});
  }
  return terms;
}

bool IsUsable(const std::vector<RootTurn::Term>& terms) {
  return terms.size() == 3 &&
         IsEulerSequence({terms[0].axis, terms[1].axis, terms[2].axis});
}

void Append(Channel channel, const ColumnSource& column, EditedSkeleton* to) {
  to->skeleton.channels.push_back(channel);
  to->columns.push_back(column);
}

void AppendNewRotations(EditedSkeleton* to) {
  for (const Channel channel : kNewRotations) {
    Append(channel, ColumnSource{}, to);
  }
}

// Copies the channels of `node`. If `replaces`, Z X Y take the place of its
// rotations.
void CopyChannels(const EditedSkeleton& from, bool replaces, Node* node,
                  EditedSkeleton* to) {
  const auto first = static_cast<size_t>(node->first_channel);
  const auto begin = to->columns.size();
  bool replaced = !replaces;
  for (int32_t i = 0; i < node->channel_count; ++i) {
    const size_t column = first + static_cast<size_t>(i);
    const Channel channel = from.skeleton.channels[column];
    if (!replaces || !IsRotation(channel)) {
      Append(channel, from.columns[column], to);
    } else if (!replaced) {
      AppendNewRotations(to);
      replaced = true;
    }
  }
  if (!replaced) AppendNewRotations(to);
  node->first_channel = static_cast<int32_t>(begin);
  node->channel_count = static_cast<int32_t>(to->columns.size() - begin);
}

// Finds the columns of the result. The channels must be final.
void FindColumns(const EditedSkeleton& edited, const Node& node,
                 RootTurn* turn) {
  size_t count = 0;
  for (int32_t i = 0; i < node.channel_count; ++i) {
    const int32_t column = node.first_channel + i;
    const Channel channel =
        edited.skeleton.channels[static_cast<size_t>(column)];
    if (!IsRotation(channel)) continue;
    turn->axes[count] = AxisOf(channel);
    turn->columns[count++] = column;
  }
}

Mat3<double> Transposed(const Mat3<double>& m) {
  Mat3<double> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) out[i][k] = m[k][i];
  }
  return out;
}

double ValueOf(const ColumnSource& column, std::span<const float> row) {
  if (column.source < 0) return column.bias;
  return row[static_cast<size_t>(column.source)] * column.factor + column.bias;
}

}  // namespace

Mat3<double> CorrectionOf(const std::array<double, 3>& degrees) {
  return FromEuler({2, 0, 1}, {degrees[2], degrees[0], degrees[1]});
}

std::vector<RootTurn> TurnRoots(const std::array<double, 3>& degrees,
                                std::span<const int32_t> body_roots,
                                EditedSkeleton* edited) {
  std::vector<RootTurn> turns;
  EditedSkeleton out;
  out.skeleton.nodes = std::move(edited->skeleton.nodes);
  for (size_t i = 0; i < out.skeleton.nodes.size(); ++i) {
    Node& node = out.skeleton.nodes[i];
    RootTurn turn;
    turn.node = static_cast<int32_t>(i);
    const bool is_root =
        std::binary_search(body_roots.begin(), body_roots.end(), turn.node);
    if (is_root) turn.terms = TermsOf(*edited, node);
    CopyChannels(*edited, is_root && !IsUsable(turn.terms), &node, &out);
    if (!is_root) continue;
    FindColumns(out, node, &turn);
    turn.correction = CorrectionOf(degrees);
    turns.push_back(std::move(turn));
  }
  *edited = std::move(out);
  return turns;
}

// Below a parent that is turned itself, the correction is turned back first.
void TurnRow(std::span<const float> row, const Mat3<double>& above,
             RootTurn* turn, std::span<float> out) {
  Mat3<double> m =
      Multiply(Transposed(above), Multiply(turn->correction, above));
  for (const RootTurn::Term& term : turn->terms) {
    RotateAbout(term.axis, ValueOf(term.column, row), &m);
  }
  const EulerAngles angles = ToEuler(turn->axes, m, turn->previous);
  for (size_t i = 0; i < 3; ++i) {
    out[static_cast<size_t>(turn->columns[i])] = static_cast<float>(angles[i]);
  }
  // A frame with non-finite angles must not affect later frames.
  if (std::isfinite(angles[0] + angles[1] + angles[2])) {
    turn->previous = angles;
  }
}

}  // namespace bvhmill
