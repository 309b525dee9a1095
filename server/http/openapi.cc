#include "server/http/openapi.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "bvhmill/base/version.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/pipeline/options_json.h"

namespace bvhmill::server {
namespace {

// Keeps the order of its keys.
using Json = nlohmann::ordered_json;

std::string Plain(std::string_view name) { return std::string(name); }

Json Parameter(std::string_view name, const std::string& text,
               const Json& schema) {
  return {{"name", name},
          {"in", "query"},
          {"description", text},
          {"schema", schema}};
}

// The schema of an option as a word of a query. A list is one word with commas.
Json SchemaOf(const OptionRow& row) {
  if (std::holds_alternative<bool*>(row.fallback)) {
    return {{"type", "boolean"}, {"default", false}};
  }
  if (const auto* const place = std::get_if<EnumPlace>(&row.fallback)) {
    Json words = Json::array();
    for (const OptionWord& word : place->words) words.push_back(word.word);
    return {{"type", "string"}, {"enum", words}};
  }
  return {{"type", "string"}};
}

Json Parameters() {
  std::string formats;
  for (const Format& format : Formats()) {
    formats.append(formats.empty() ? "" : ", ").append(format.name);
  }
  Json all = {
      Parameter("emit", "outputs, separated by commas: " + formats + ", report",
                {{"type", "string"}, {"examples", {"npz", "positions,anim"}}}),
      Parameter("name", "file name of the clip, for messages and outputs",
                {{"type", "string"}}),
      Parameter("format", "format of the body; default: by the name, else bvh",
                {{"type", "string"}, {"enum", {"bvh", "anim"}}}),
      Parameter("options",
                "options as a JSON object; those of the query override it",
                {{"type", "string"}, {"contentMediaType", "application/json"}}),
  };
  for (const OptionRow& row : Options()) {
    all.push_back(Parameter(row.name, HelpOf(row, &Plain), SchemaOf(row)));
  }
  return all;
}

Json Content(const char* type, const Json& schema) {
  return {{type, {{"schema", schema}}}};
}

Json Problem(const char* text) {
  return {{"description", text},
          {"content", Content("application/problem+json",
                              {{"$ref", "#/components/schemas/Problem"}})}};
}

Json Answers(const Json& good) {
  return {{"200", good},
          {"400", Problem("an option is wrong")},
          {"401", Problem("the call needs a token")},
          {"403", Problem("the token lacks a scope")},
          {"408", Problem("the body ended early, or came too slowly")},
          {"413", Problem("the clip exceeds a limit of the server")},
          {"415", Problem("the format or encoding is unknown")},
          {"422", Problem("the clip is broken; report lists its faults")},
          {"429", Problem("too much is in flight: try again")},
          {"503", Problem("the server is busy or stops: try again")}};
}

Json Body() {
  const Json binary = {{"type", "string"}, {"format", "binary"}};
  return {
      {"required", true},
      {"description", "the file: BVH or .anim, plain, gzip or zstd"},
      {"content",
       {{"application/octet-stream", {{"schema", binary}}},
        {"multipart/form-data",
         {{"schema",
           {{"type", "object"},
            {"required", {"file"}},
            {"properties",
             {{"file", binary},
              {"options", {{"$ref", "#/components/schemas/Options"}}}}}}}}}}}};
}

Json Operation(const char* id, const char* summary, const Json& good) {
  return {{"operationId", id},
          {"summary", summary},
          {"parameters", Parameters()},
          {"requestBody", Body()},
          {"responses", Answers(good)}};
}

Json Get(const char* id, const char* summary, const char* text) {
  return {{"get",
           {{"operationId", id},
            {"summary", summary},
            {"responses",
             {{"200",
               {{"description", text},
                {"content", Content("application/json", Json::object())}}}}}}}};
}

Json ProblemSchema() {
  const Json text = {{"type", "string"}};
  return {{"type", "object"},
          {"required", {"type", "title", "status"}},
          {"properties",
           {{"type", text},
            {"title", text},
            {"status", {{"type", "integer"}}},
            {"detail", text},
            {"reason", text},
            {"field", text},
            {"limit", text},
            {"args", {{"type", "object"}}},
            {"report", {{"type", "object"}}}}}};
}

}  // namespace

std::string OpenApiJson() {
  const Json outputs = {
      {"description", "the output; several outputs are a zip"},
      {"content",
       {{"application/octet-stream",
         {{"schema", {{"type", "string"}, {"format", "binary"}}}}},
        {"application/zip",
         {{"schema", {{"type", "string"}, {"format", "binary"}}}}}}}};
  const Json report = {
      {"description", "the report; also of a clip with errors"},
      {"content", Content("application/json", {{"type", "object"}})}};
  const Json convert = Operation("convert", "Convert a clip", outputs);
  const Json validate = Operation("validate", "Check a clip", report);
  const auto twice = [](const Json& operation) {
    Json put = operation;
    put["operationId"] = operation["operationId"].get<std::string>() + "Put";
    return Json{{"post", operation}, {"put", put}};
  };
  Json schema = Json::parse(OptionsSchema());
  schema.erase("$schema");
  schema.erase("$id");
  const Json api = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "bvhmill"},
        {"version", Version()},
        {"license", {{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", {{{"url", "/"}}}},
      {"security", {Json::object(), {{"token", Json::array()}}}},
      {"paths",
       {{"/v1/convert", twice(convert)},
        {"/v1/validate", twice(validate)},
        {"/v1/info", Get("info", "Describe the server",
                         "a bvhmill.v1.GetServerInfoResponse")},
        {"/v1/issues",
         Get("issues", "List the codes of issues", "the catalogue")}}},
      {"components",
       {{"schemas", {{"Options", schema}, {"Problem", ProblemSchema()}}},
        {"securitySchemes",
         {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return api.dump(1) + "\n";
}

}  // namespace bvhmill::server
