// Coordinator: the server's side of a federation without a network. It is given the bytes of a request and
// the time, and gives the bytes of the reply; what must not be lost goes to a Store.
//
// Laws: handle() always answers: what is wrong with a request is a refusal with its code, closes that
// exchange and changes nothing; signatures are verified, and models made from sums, outside the lock, by the
// thread whose call ended the round; nothing of a single contribution reaches the store or the log; memory
// does not grow with the number of exchanges. After a restart on the same store it goes on: open rounds are
// given up, numbers are never used again, versions are there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fed/wire/transport.h"
#include "server/admission.h"
#include "server/log_sink.h"
#include "server/registry.h"
#include "server/task_config.h"
#include "server/task_run.h"

namespace sotto::server {

struct CoordinatorOptions {
  std::int64_t clock_window_ms = 300'000;  // how far a device's clock may be off
  std::int64_t retry_min_ms = 1'000;       // when a device without work asks again, at the earliest
  std::int64_t retry_max_ms = 5'000;
  std::uint32_t most_check_ins_s = 1'000;       // a second; when more would come, the window widens
  std::int64_t poll_ms = 200;                   // between polls within a secure sum
  std::uint32_t most_assignments = 1'000'000;   // open at once, over all tasks
  std::uint64_t most_upload_bytes = 256 << 20;  // of unfinished uploads
  std::uint32_t most_refusal_lines = 100;       // of the log in a second
  std::int64_t keep_out_ms = 86'400'000;        // from secure sums, of a device that spoilt some
};
[[nodiscard]] Status check(const CoordinatorOptions& options);

class Coordinator {
 public:
  // `store` and `log` outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Coordinator>> open(Store& store,
                                                                 const CoordinatorOptions& options,
                                                                 std::vector<TaskConfig> tasks, LogSink& log,
                                                                 std::int64_t now_ms);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  ~Coordinator();

  // The encoded v1::Reply. From any thread.
  [[nodiscard]] std::string handle(Method method, const std::string& request, std::int64_t now_ms);
  // Deadlines; every 50 ms or so. It returns when what they ended is released: a second thread keeps the time
  // meanwhile.
  void tick(std::int64_t now_ms);
  // The operator's questions: status, tasks, rounds, versions, devices, pause, resume, release, export,
  // catalogue, revoke, unrevoke, tokens. Arguments and answer are JSON.
  [[nodiscard]] Result<std::string> ask(const std::string& command, const std::string& json,
                                        std::int64_t now_ms);
  // Prometheus text.
  [[nodiscard]] std::string metrics();
  // No new assignments; open plain rounds that have their quorum commit, others are given up.
  void stop();
  // No round is open.
  [[nodiscard]] bool idle() const;
  // Limits, the rules of tasks that do not change what is computed, items behind those that a task has, and
  // new tasks, which begin. All or nothing, but for a disk that fails: what grew before it did has grown, and
  // of the task at hand the store decides.
  [[nodiscard]] Status reload(const CoordinatorOptions& options, const std::vector<TaskConfig>& tasks);

 private:
  struct Answers;  // the operator's (coordinator_admin.cpp)

  Coordinator(Store& store, const CoordinatorOptions& options, LogSink& log);
  [[nodiscard]] v1::Reply enrol(const std::string& request, std::int64_t now_ms);
  [[nodiscard]] v1::Reply signed_call(Method method, const std::string& request, std::int64_t now_ms);
  // What makes a request of a known device fresh, under the lock.
  [[nodiscard]] v1::Reply admit(const v1::SignedRequest& request, const DeviceId& id, std::int64_t now_ms);
  [[nodiscard]] v1::Reply check_in(const DeviceId& id, const std::string& body, std::int64_t now_ms);
  // Whether it asks from where it answers; refused where it does not.
  [[nodiscard]] v1::Reply at_home(const DeviceId& id, const std::string& homes, std::int64_t now_ms);
  [[nodiscard]] v1::Reply fetch(const std::string& body);
  [[nodiscard]] v1::Reply step(const DeviceId& id, const std::string& body, std::int64_t now_ms);
  [[nodiscard]] v1::Reply leave(const DeviceId& id, const std::string& body, std::int64_t now_ms);
  [[nodiscard]] Caller caller(const DeviceId& id, std::int64_t now_ms);
  [[nodiscard]] RetryWindow retry_window() const;
  [[nodiscard]] std::size_t assignments() const;
  [[nodiscard]] TaskRun* find_task(const std::string& name);
  [[nodiscard]] Result<std::unique_ptr<TaskRun>> open_task(const TaskConfig& config, std::int64_t now_ms);
  // The task goes on with more items, as the store has it: where the store fails, with those it has, or,
  // while it cannot say which, not at all. Then `task` is null, and unread_ has it.
  [[nodiscard]] Status grow(std::unique_ptr<TaskRun>& task, const TaskConfig& config);
  void open_unread();
  // Under the lock, which it gives back while it computes.
  void release(std::unique_lock<std::mutex>& hold, std::int64_t now_ms);
  // Until nobody computes.
  void wait_for_releases(std::unique_lock<std::mutex>& hold);
  void note_refusal(Method method, v1::Refusal refusal, std::int64_t now_ms);
  void save_seen();

  mutable std::mutex lock_;
  std::condition_variable released_;
  Store& store_;
  LogSink& log_;
  CoordinatorOptions options_;
  Metrics metrics_;
  Surroundings around_;
  Registry registry_;
  std::vector<std::unique_ptr<TaskRun>> tasks_;
  std::vector<TaskConfig> unread_;  // tasks that go on when the store can be read again
  std::size_t first_task_ = 0;      // who is asked first, in turn
  std::int64_t started_ms_ = 0;
  std::int64_t now_ms_ = 0;  // the last that was told
  std::int64_t saved_ms_ = 0;
  std::int64_t refusals_since_ms_ = 0;
  std::uint32_t refusal_lines_ = 0;
  std::uint64_t unlogged_refusals_ = 0;
  bool stopping_ = false;
};

}  // namespace sotto::server
