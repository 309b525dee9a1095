// One page of HTML for all clips. It needs no network and no other file.
//
// The page is written as clips come: its head, one line of data for each clip,
// then what is known at the end, and the script.

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "bvhmill/digest/sha256.h"
#include "client/cli/report/page_json.h"
#include "client/cli/report/page_parts.h"
#include "client/cli/report/renderings.h"

namespace bvhmill::client {
namespace {

int ValueOf(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

// 'sha256-...' for a Content-Security-Policy.
std::string HashSource(std::string_view text) {
  Sha256 sha;
  sha.Add(text);
  const std::string digits = sha.Finish();
  std::array<unsigned char, 32> digest = {};
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<unsigned char>(16 * ValueOf(digits[2 * i]) +
                                           ValueOf(digits[2 * i + 1]));
  }
  std::array<unsigned char, 45> base64 = {};
  EVP_EncodeBlock(base64.data(), digest.data(), digest.size());
  return "'sha256-" + std::string(reinterpret_cast<char*>(base64.data())) + "'";
}

// Forbids everything but the style and the script of the page itself.
std::string Policy() {
  return "default-src 'none'; script-src " + HashSource(PageScript()) +
         "; style-src " + HashSource(PageStyle()) +
         "; base-uri 'none'; form-action 'none'; "
         "require-trusted-types-for 'script'; trusted-types 'none'";
}

// Removes the text up to `mark` from `rest`, and the mark, and returns it.
std::string TakeUntil(std::string_view mark, std::string_view* rest) {
  const size_t at = rest->find(mark);
  const std::string out(rest->substr(0, at));
  rest->remove_prefix(at + mark.size());
  return out;
}

class HtmlWriter final : public ReportWriter {
 public:
  std::string Render(const ClipFinding& clip) const override {
    return PageClip(clip);
  }

  std::string Begin(const RunFacts& run) override {
    end_.title = run.title;
    end_.unit = run.has_meters ? "m" : "units";
    std::string out = TakeUntil("{{POLICY}}", &rest_) + Policy();
    out += TakeUntil("{{STYLE}}", &rest_) + std::string(PageStyle());
    out += TakeUntil("{{DATA}}", &rest_) + "{\"clips\":[";
    return out;
  }

  std::string Add(const ClipFinding& clip, std::string rendered) override {
    for (const CodeCount& code : clip.codes) end_.codes.insert(code.code);
    end_.positions.emplace(clip.index, clips_);
    return (clips_++ == 0 ? "\n" : ",\n") + std::move(rendered);
  }

  std::string End(const RunSummary& summary) override {
    std::string out = "],\n" + PageMembers(end_, summary) + "}";
    out += TakeUntil("{{SCRIPT}}", &rest_) + std::string(PageScript());
    return out + std::string(rest_);
  }

 private:
  PageEnd end_;
  // Clips that were added.
  size_t clips_ = 0;
  // The part of the template that is not written yet.
  std::string_view rest_ = PageTemplate();
};

}  // namespace

std::unique_ptr<ReportWriter> MakeHtmlWriter() {
  return std::make_unique<HtmlWriter>();
}

}  // namespace bvhmill::client
