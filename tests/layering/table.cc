// The rules of layering, which docs/design.md explains: the folders that each
// folder may include. Spaces separate the items of a list.

#include "tests/layering/rules.h"

namespace bvhmill::testing {
namespace {

// A file may always include those of its own folder.
constexpr Layer kLayers[] = {
    {"lib/bvhmill/base", ""},
    {"lib/bvhmill/report", "bvhmill/base"},
    {"lib/bvhmill/text", "bvhmill/base"},
    {"lib/bvhmill/clip", "bvhmill/base"},
    {"lib/bvhmill/skeletons", "bvhmill/base bvhmill/clip"},
    {"lib/bvhmill/bvh",
     "bvhmill/base bvhmill/text bvhmill/clip bvhmill/report"},
    {"lib/bvhmill/validate",
     "bvhmill/base bvhmill/clip bvhmill/math bvhmill/report "
     "bvhmill/skeletons"},
    {"lib/bvhmill/math", "bvhmill/base"},
    {"lib/bvhmill/edit",
     "bvhmill/base bvhmill/bvh/reader.h bvhmill/clip bvhmill/math "
     "bvhmill/report bvhmill/skeletons"},
    {"lib/bvhmill/kinematics", "bvhmill/base bvhmill/clip bvhmill/math"},
    {"lib/bvhmill/anim",
     "bvhmill/base bvhmill/report bvhmill/text bvhmill/clip bvhmill/math "
     "bvhmill/kinematics/plan.h"},
    {"lib/bvhmill/encode",
     "bvhmill/base bvhmill/clip bvhmill/math bvhmill/bvh/writer.h "
     "bvhmill/kinematics bvhmill/anim bvhmill/report bvhmill/skeletons "
     "bvhmill/edit/channel_layout.h bvhmill/edit/edit_clip.h "
     "bvhmill/edit/joint_map.h bvhmill/edit/up_guess.h"},
    {"lib/bvhmill/pipeline",
     "bvhmill/base bvhmill/report bvhmill/text bvhmill/clip bvhmill/bvh "
     "bvhmill/skeletons bvhmill/validate bvhmill/math bvhmill/edit "
     "bvhmill/kinematics "
     "bvhmill/anim bvhmill/encode"},
    {"lib/bvhmill/bvhmill.h",
     "bvhmill/clip bvhmill/edit bvhmill/encode bvhmill/kinematics "
     "bvhmill/pipeline bvhmill/report"},
    {"lib/bvhmill/bvhmill.cc",
     "bvhmill/bvhmill.h bvhmill/base bvhmill/kinematics bvhmill/pipeline"},
    {"lib/bvhmill/unpack", "bvhmill/base"},
    {"lib/bvhmill/digest", ""},
    {"lib/bvhmill/settings", "bvhmill/base"},
    {"lib/bvhmill/files",
     "bvhmill/base bvhmill/pipeline bvhmill/settings bvhmill/unpack"},
    {"lib/bvhmill/wire",
     "bvhmill/base bvhmill/report bvhmill/clip bvhmill/encode "
     "bvhmill/edit bvhmill/pipeline bvhmill/v1"},
    // The first row that fits a file counts: the folders of the server, then
    // its main program.
    {"server/observe",
     "bvhmill/base bvhmill/pipeline bvhmill/report server/limits/memory.h "
     "server/net/listener.h"},
    {"server/auth",
     "bvhmill/base bvhmill/settings server/app/config.h "
     "server/app/file_watch.h server/limits/memory.h"},
    {"server/limits", "bvhmill/base bvhmill/pipeline server/auth/caller.h"},
    {"server/net", "bvhmill/base server/app/config.h"},
    {"server/codec",
     "bvhmill/base bvhmill/pipeline bvhmill/unpack bvhmill/wire bvhmill/v1 "
     "server/app/config.h server/rpc/errors.h"},
    {"server/rpc",
     "bvhmill/base bvhmill/report bvhmill/edit/joint_map.h bvhmill/encode "
     "bvhmill/pipeline bvhmill/wire bvhmill/v1 server/app/config.h "
     "server/auth server/codec server/limits server/net server/observe"},
    {"server/store/postgres", "bvhmill/base server/store"},
    {"server/store/s3",
     "bvhmill/base bvhmill/digest bvhmill/settings server/store"},
    {"server/store/sqlite", "bvhmill/base server/store"},
    {"server/store/files", "bvhmill/base bvhmill/digest server/store"},
    {"server/store",
     "bvhmill/base bvhmill/digest server/store/files/file_blob_store.h "
     "server/store/postgres/open_postgres.h server/store/s3/open_s3.h "
     "server/store/s3/s3_options.h server/store/sqlite/sqlite.h"},
    {"server/http",
     "bvhmill/base bvhmill/report bvhmill/encode bvhmill/pipeline bvhmill/wire "
     "bvhmill/v1 server/net server/rpc/call_record.h server/store/file_ops.h"},
    {"server/jobs",
     "bvhmill/base bvhmill/digest bvhmill/pipeline bvhmill/unpack bvhmill/wire "
     "bvhmill/v1 server/app/config.h server/auth server/codec server/convert "
     "server/limits server/observe server/rpc server/store"},
    {"server/convert",
     "bvhmill/base bvhmill/pipeline bvhmill/unpack bvhmill/wire bvhmill/v1 "
     "server/app/config.h server/auth server/codec server/limits "
     "server/observe server/rpc"},
    {"server/app",
     "bvhmill/base bvhmill/pipeline bvhmill/settings server/auth "
     "server/convert server/http server/jobs server/limits server/net "
     "server/observe server/rpc server/store"},
    {"server", "bvhmill/base bvhmill/settings server/store"},
    {"client/cpp",
     "bvhmill/base bvhmill/digest bvhmill/report bvhmill/pipeline "
     "bvhmill/settings bvhmill/wire bvhmill/v1"},
    {"client/cli",
     "bvhmill/base bvhmill/report bvhmill/clip/clip_info.h bvhmill/digest "
     "bvhmill/skeletons bvhmill/anim bvhmill/edit bvhmill/encode "
     "bvhmill/files bvhmill/pipeline bvhmill/settings bvhmill/unpack "
     "bvhmill/wire bvhmill/v1 "
     "client/cpp/client.h client/cpp/job_client.h"},
    {"client/python",
     "bvhmill/base bvhmill/report bvhmill/clip bvhmill/anim bvhmill/edit "
     "bvhmill/kinematics bvhmill/encode bvhmill/files bvhmill/pipeline "
     "bvhmill/unpack"},
    {"client/node",
     "bvhmill/base bvhmill/report bvhmill/clip/clip_info.h bvhmill/encode "
     "bvhmill/kinematics bvhmill/pipeline bvhmill/text/rows.h"},
    {"bench", "bvhmill server client tests/faults"},
};

// The first beginning that fits counts.
constexpr ThirdParty kThirdParty[] = {
    {"iostream", "server client/cli bench"},
    {"absl/cleanup/", "client/cpp"},
    {"absl/status/", "lib server client bench"},
    {"absl/strings/cord.h", "lib/bvhmill/base"},
    {"absl/synchronization/mutex.h", "server bench"},
    {"absl/strings/str_split.h", "server"},
    {"absl/", ""},
    {"iconv.h", "lib/bvhmill/base"},
    {"fnmatch.h", "lib/bvhmill/files"},
    {"sys/mman.h", "lib/bvhmill/base server client/cli client/python"},
    {"sys/types.h", "lib/bvhmill/pipeline server client bench"},
    {"sys/stat.h", "lib/bvhmill/files server client bench"},
    {"unistd.h",
     "lib/bvhmill/files lib/bvhmill/pipeline lib/bvhmill/settings server "
     "client bench"},
    {"fcntl.h", "lib/bvhmill/files lib/bvhmill/settings server client bench"},
    {"poll.h", "lib/bvhmill/settings server client bench"},
    {"linux/sockios.h", "server"},
    {"linux/tcp.h", "server"},
    {"fast_float/", "lib/bvhmill/base lib/bvhmill/text bench"},
    {"hwy/", "lib/bvhmill/math lib/bvhmill/kinematics"},
    {"arm_neon.h", "lib/bvhmill/text"},
    {"immintrin.h", "lib/bvhmill/text"},
    {"wasm_simd128.h", "lib/bvhmill/text"},
    {"tbb/", "lib/bvhmill/pipeline bench"},
    {"assimp/", "bench"},
    {"oneapi/", "lib/bvhmill/pipeline"},
    {"nlohmann/",
     "lib/bvhmill/encode lib/bvhmill/pipeline server/http client/cli "
     "client/node"},
    {"zlib.h", "lib/bvhmill/encode lib/bvhmill/unpack client/cli bench"},
    {"zstd.h", "lib/bvhmill/unpack"},
    {"google/protobuf/", "lib/bvhmill/wire server client bench"},
    // See kWithoutGrpc, too.
    {"grpc",
     "server/app server/auth/tls.h server/auth/tls.cc server/codec "
     "server/convert server/http server/jobs server/net/listener.cc server/rpc "
     "client/cpp "
     "bench"},
    {"CLI/", "server client/cli"},
    {"toml++/", "client/cli/dataset"},
    {"openssl/", "server client lib/bvhmill/digest"},
    {"sqlite3.h", "server/store/sqlite"},
    {"pqxx/", "server/store/postgres"},
    {"libpq-fe.h", "server/store/postgres"},
    {"curl/", "server/store/s3"},
    {"httplib.h", "server/http"},
    {"pugixml.hpp", "server/store/s3"},
    {"prometheus/", "server"},
    {"pybind11/", "client/python"},
    {"spdlog/", ""},
    {"benchmark/", "bench"},
};

// Files that include no header of gRPC, directly or by others: the admission
// and the protocol of a stream work without it, and are tested without sockets.
constexpr std::string_view kWithoutGrpc[] = {
    "server/limits/",
    "server/observe/",
    "server/auth/caller.h",
    "server/auth/tokens.",
    "server/rpc/call_registry.",
    "server/rpc/errors.",
    "server/convert/clip_queue.",
    "server/convert/receivers.",
    "server/convert/source.",
    "server/convert/stream_session.",
    "server/jobs/item_storer.",
    "server/jobs/item_work.",
    "server/jobs/job_runner.",
    "server/jobs/jobs.",
    "server/store/",
};

// The library never prints, never throws, never exits.
constexpr std::string_view kBannedInLibrary[] = {
    "spdlog",  "iostream", "std::cout", "std::cerr", "printf",
    "fprintf", "puts",     "abort(",    "exit(",     "throw",
};

// Debian's absl and others disagree about this type; see base/status.h.
constexpr std::string_view kBannedInHeaders[] = {"absl::string_view",
                                                 "absl/strings"};

}  // namespace

std::span<const Layer> Layers() { return kLayers; }
std::span<const std::string_view> WithoutGrpc() { return kWithoutGrpc; }
std::span<const ThirdParty> ThirdParties() { return kThirdParty; }
std::span<const std::string_view> BannedInLibrary() { return kBannedInLibrary; }
std::span<const std::string_view> BannedInHeaders() { return kBannedInHeaders; }

}  // namespace bvhmill::testing
