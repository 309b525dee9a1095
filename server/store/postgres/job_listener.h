#pragma once

// Hears what the servers of a database tell each other about jobs.

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "server/store/job_store.h"

namespace bvhmill::server {

// Words of a notification: "items", "over NUMBER" or "cancelled NUMBER".
std::string TextOf(const JobNews& news);
// False if there is no such news.
bool ReadNews(std::string_view text, JobNews* news);

// Listens on a connection of its own, from a thread of its own, and connects
// again when it is lost; then and at the start, news may have been missed.
class JobListener {
 public:
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

}  // namespace bvhmill::server
