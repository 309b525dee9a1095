#pragma once

// News about jobs that the servers of a database send each other, by LISTEN and
// NOTIFY of PostgreSQL.
//
//   JobListener listener(address, [&](const JobNews& news) { Wake(news); });
//   work->Notify(TextOf({JobNews::Kind::kItems}));

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "server/store/job_store.h"

namespace bvhmill::server {

// Listens on its own connection, in its own thread. If the connection fails, it
// connects again a second later, and reports no error. Each new connection
// begins with kMissed, since earlier news may be lost.
class JobListener {
 public:
  // `address` is a connection string or URI of libpq. The thread calls `hear`,
  // possibly before the constructor returns. The destructor waits for the
  // thread: 0.2 s, or until a call of `hear` or an attempt to connect ends.
  JobListener(std::string address, std::function<void(const JobNews&)> hear);
  JobListener(const JobListener&) = delete;
  JobListener& operator=(const JobListener&) = delete;

 private:
  void Run(const std::stop_token& stop);
  void ListenOnce(const std::stop_token& stop);

  const std::string address_;
  const std::function<void(const JobNews&)> hear_;
  // The last member: it uses the others.
  std::jthread thread_;
};

// The text of a notification: "items", "over NUMBER" or "cancelled NUMBER".
// kMissed is no notification: do not pass it.
std::string TextOf(const JobNews& news);

}  // namespace bvhmill::server
