#include "client/cli/ui/text_width.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

namespace bvhmill::client {
namespace {

// A locale of UTF-8, for this thread, while it lives. The locale of the program
// stays the same.
class Utf8Locale {
 public:
  Utf8Locale() : before_(uselocale(Made())) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  // False if the system has no such locale.
  static bool Exists() { return Made() != locale_t{}; }

 private:
  static locale_t Made() {
    static const locale_t kMade = newlocale(LC_CTYPE_MASK, "C.UTF-8", {});
    return kMade;
  }

  locale_t before_;
};

// Characters, counted by their first bytes.
size_t CountCharacters(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(),
                    [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

size_t WidthOf(std::string_view utf8) {
  if (!Utf8Locale::Exists()) return CountCharacters(utf8);
  const Utf8Locale use;
  size_t width = 0;
  while (!utf8.empty()) {
    wchar_t character = 0;
    mbstate_t state = {};
    const size_t size = mbrtowc(&character, utf8.data(), utf8.size(), &state);
    // The results for bytes that are no character are larger than any size.
    const bool is_read = size > 0 && size <= utf8.size();
    const int columns = is_read ? wcwidth(character) : -1;
    width += columns < 0 ? 1 : static_cast<size_t>(columns);
    utf8.remove_prefix(is_read ? size : 1);
  }
  return width;
}

}  // namespace bvhmill::client
