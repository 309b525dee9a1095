#pragma once

// Reads BVH text as the viewer's import does: line by line, lenient in some
// places and strict in others. The verdict on a file often depends on its text:
// this reader may refuse text that ReadBvh repairs, and the reverse.
//
// docs/formats/anim.md, section 6, has the rules.

#include <string_view>

#include "bvhmill/anim/viewer/viewer_status.h"
#include "bvhmill/anim/viewer/viewer_take.h"
#include "bvhmill/base/text_position.h"
#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

struct ViewerText {
  ViewerStatus status = ViewerStatus::kOk;
  // The line that the status is about.
  TextPosition place;
  // Complete if the status is kOk. Its values point to `values`.
  ViewerTake take;
  UninitializedVector<float> values;
};

// Reads `text`. Memory grows with the contents of `text`, never by a number
// that it states. Throws nothing but std::bad_alloc. Cost: O(bytes), about 80
// ns for each number.
ViewerText LoadViewerText(std::string_view text);

}  // namespace bvhmill
