#pragma once

// The factory functions of the encoders, one for each format. Private to
// encode/.

#include <memory>
#include <string_view>

#include "bvhmill/encode/encoder.h"

namespace bvhmill {

std::unique_ptr<Encoder> MakePositionsEncoder(const PositionsFormat& format);
std::unique_ptr<Encoder> MakeRotationsEncoder(const RotationsFormat& format);
std::unique_ptr<Encoder> MakeVelocitiesEncoder(const VelocitiesFormat& format);
std::unique_ptr<Encoder> MakeNpzEncoder(const NpzFormat& format);
std::unique_ptr<Encoder> MakeCsvEncoder(const CsvFormat& format);
std::unique_ptr<Encoder> MakeBvhEncoder(const BvhFormat& format);
std::unique_ptr<Encoder> MakeAnimEncoder(const AnimFormat& format);

inline constexpr std::string_view kAnimMediaType =
    "application/vnd.ll.animation";

// CheckFormat for this format.
absl::Status CheckAnimFormat(const AnimFormat& format);

}  // namespace bvhmill
