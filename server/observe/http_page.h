#pragma once

// A page over plain HTTP, for programs that fetch it now and then.
//
// One thread serves all connections and never waits for one of them. The number
// of connections is small: a new one replaces the oldest. So a peer that
// connects and sends nothing does not keep others from the page.

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

class HttpPage {
 public:
  // Returns the page in the text format of Prometheus. Called for each request.
  using Render = std::function<std::string()>;

  // Serves GET `path` on `address`, HOST:PORT; port 0 picks a free port.
  // `render` is called from the thread of the page. UNAVAILABLE if the address
  // is taken or no thread can be started.
  static absl::Status Start(const std::string& address, const std::string& path,
                            Render render, std::unique_ptr<HttpPage>* page);
  // Ends the connections and the thread.
  ~HttpPage();

  // HOST:PORT with the port that was picked.
  const std::string& address() const;

 private:
  class Loop;
  explicit HttpPage(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace bvhmill::server
