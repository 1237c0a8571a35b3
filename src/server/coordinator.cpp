#include "server/coordinator.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <set>

namespace sotto::server {

namespace {

constexpr std::int64_t second_ms = 1'000;

v1::Reply refuse(v1::Refusal refusal, std::string why, std::uint32_t retry_after_ms = 0) {
  v1::Reply reply;
  reply.set_refusal(refusal);
  reply.set_why(std::move(why));
  reply.set_retry_after_ms(retry_after_ms);
  return reply;
}

v1::Reply accept(std::string body) {
  v1::Reply reply;
  reply.set_body(std::move(body));
  return reply;
}

// Nothing is wrong with a device that is refused so: it asks again in the usual time.
bool comes_back(v1::Refusal refusal) {
  return refusal == v1::REFUSAL_BUSY || refusal == v1::REFUSAL_TOO_LATE ||
         refusal == v1::REFUSAL_ROUND_FAILED;
}

v1::Reply bad_message() { return refuse(v1::REFUSAL_BAD_MESSAGE, "the request does not decode"); }
v1::Reply bad_version() {
  return refuse(v1::REFUSAL_WRONG_VERSION,
                fmt::format("this server speaks version {} of the protocol", protocol_version));
}

}  // namespace

Status check(const CoordinatorOptions& options) {
  if (options.clock_window_ms <= 0) return fail(Code::usage, "the clock window is above 0");
  if (options.retry_min_ms < 1 || options.retry_max_ms < options.retry_min_ms ||
      options.retry_max_ms > 86'400'000)
    return fail(Code::usage, "devices return after 1 ms to a day, the earliest before the latest");
  if (options.poll_ms < 1 || options.poll_ms > 60'000)
    return fail(Code::usage, "devices poll every 1 to 60000 ms");
  if (options.most_upload_bytes < most_chunk_bytes)
    return fail(Code::usage, fmt::format("unfinished uploads need at least {} bytes", most_chunk_bytes));
  if (options.keep_out_ms < 0 || options.keep_out_ms > 365 * 86'400'000LL)
    return fail(Code::usage, "devices are kept out of secure sums for at most a year");
  return Done{};
}

Coordinator::Coordinator(Store& store, const CoordinatorOptions& options, LogSink& log)
    : store_(store),
      log_(log),
      options_(options),
      around_{.store = store,
              .log = log,
              .metrics = metrics_,
              .registry = registry_,
              .most_upload_bytes = options.most_upload_bytes,
              .conduct = {}} {
  around_.conduct.set_keep_out(options.keep_out_ms);
}

Coordinator::~Coordinator() = default;

Result<std::unique_ptr<Coordinator>> Coordinator::open(Store& store, const CoordinatorOptions& options,
                                                       std::vector<TaskConfig> tasks, LogSink& log,
                                                       std::int64_t now_ms) {
  SOTTO_TRY_DONE(check(options));
  std::set<std::string> names;
  for (const TaskConfig& task : tasks)
    if (!names.insert(task.spec.name()).second)
      return fail(Code::usage, fmt::format("two tasks have the name '{}'", task.spec.name()));
  std::unique_ptr<Coordinator> made(new Coordinator(store, options, log));
  made->started_ms_ = made->now_ms_ = made->saved_ms_ = now_ms;
  // Their sums were in the memory of a process that is no more.
  SOTTO_TRY(const std::vector<RoundRecord> rounds, store.open_rounds());
  for (RoundRecord round : rounds) {
    round.state = RoundState::abandoned;
    round.closed_ms = now_ms;
    round.why = "the coordinator was started anew";
    SOTTO_TRY_DONE(store.abandon_round(round, ""));
    log.line({LogLevel::warning, round.task, round.round, "round given up", {{"cause", round.why}}});
  }
  SOTTO_TRY_DONE(made->registry_.load(store, now_ms));
  for (const TaskConfig& config : tasks) {
    SOTTO_TRY(auto run, made->open_task(config, now_ms));
    made->tasks_.push_back(std::move(run));
  }
  return made;
}

Result<std::unique_ptr<TaskRun>> Coordinator::open_task(const TaskConfig& config, std::int64_t now_ms) {
  SOTTO_TRY(const std::vector<TaskRecord> records, store_.tasks());
  const auto known = std::ranges::find(records, config.spec.name(), &TaskRecord::name);
  SOTTO_TRY(auto run, TaskRun::open(config, known == records.end() ? nullptr : &*known, around_, now_ms));
  if (run->version().time_ms > now_ms + options_.clock_window_ms)
    return fail(Code::bad_input,
                "the clock is behind the newest version in the store: set the clock right and start again");
  return run;
}

std::string Coordinator::handle(Method method, const std::string& request, std::int64_t now_ms) {
  v1::Reply reply;
  try {
    if (request.size() > most_message_bytes)
      reply =
          refuse(v1::REFUSAL_TOO_LARGE, fmt::format("a request has at most {} bytes", most_message_bytes));
    else
      reply = method == Method::enrol ? enrol(request, now_ms) : signed_call(method, request, now_ms);
  } catch (const std::exception&) {  // memory ran out
    reply = refuse(v1::REFUSAL_INTERNAL, "the server failed; try again later");
  }
  reply.set_version(protocol_version);
  reply.set_server_time_ms(static_cast<std::uint64_t>(now_ms));
  if (reply.refusal() != v1::REFUSAL_NONE) note_refusal(method, reply.refusal(), now_ms);
  std::string bytes = reply.SerializeAsString();
  metrics_.count_call(method, reply.refusal(), request.size(), bytes.size());
  return bytes;
}

void Coordinator::note_refusal(Method method, v1::Refusal refusal, std::int64_t now_ms) {
  if (comes_back(refusal)) return;  // every round has some; the metrics count them
  const std::lock_guard hold(lock_);
  if (now_ms - refusals_since_ms_ >= second_ms) {
    if (unlogged_refusals_ != 0)
      log_.line({LogLevel::warning,
                 "",
                 std::nullopt,
                 "more requests were refused",
                 {{"count", fmt::format("{}", unlogged_refusals_)}}});
    refusals_since_ms_ = now_ms;
    refusal_lines_ = 0;
    unlogged_refusals_ = 0;
  }
  if (refusal_lines_ >= options_.most_refusal_lines) {
    ++unlogged_refusals_;
    return;
  }
  ++refusal_lines_;
  log_.line({LogLevel::warning,
             "",
             std::nullopt,
             "request refused",
             {{"method", to_string(method)}, {"reason", v1::Refusal_Name(refusal)}}});
}

v1::Reply Coordinator::enrol(const std::string& request, std::int64_t now_ms) {
  v1::EnrolRequest asked;
  if (!asked.ParseFromString(request)) return bad_message();
  if (asked.version() != protocol_version) return bad_version();
  PublicKey key{};
  if (!read_key(asked.public_key(), key) || asked.token().empty()) return bad_message();
  if (!verify_enrolment(asked))
    return refuse(v1::REFUSAL_BAD_SIGNATURE, "the enrolment is not signed by its key");
  const std::lock_guard hold(lock_);
  if (stopping_) return refuse(v1::REFUSAL_STOPPING, "the server shuts down");
  const auto record = store_.enrol(blob_hash(asked.token()), key, now_ms);
  if (!record.ok()) {
    if (record.error().code == Code::not_found)
      return refuse(v1::REFUSAL_BAD_TOKEN, "the token is unknown or used: ask the operator for a new one");
    log_.line(
        {LogLevel::error, "", std::nullopt, "an enrolment failed", {{"cause", record.error().message}}});
    return refuse(v1::REFUSAL_INTERNAL, "the server could not write the enrolment; try again later");
  }
  registry_.add(*record);
  v1::EnrolReply reply;
  reply.set_device(text_of(record->id));
  reply.set_index(record->index);
  return accept(reply.SerializeAsString());
}

v1::Reply Coordinator::signed_call(Method method, const std::string& request, std::int64_t now_ms) {
  v1::SignedRequest asked;
  if (!asked.ParseFromString(request)) return bad_message();
  if (asked.version() != protocol_version) return bad_version();
  const auto id = read_name(asked.device());
  if (!id) return bad_message();
  PublicKey key{};
  {
    const std::lock_guard hold(lock_);
    const KnownDevice* device = registry_.find(*id);
    if (device == nullptr) return refuse(v1::REFUSAL_UNKNOWN_DEVICE, "no such device is enrolled");
    if (device->revoked) return refuse(v1::REFUSAL_REVOKED, "the device takes part no more");
    key = device->key;
  }
  if (!verify_request(method, asked, key))
    return refuse(v1::REFUSAL_BAD_SIGNATURE, "the request is not signed by the device's key");
  if (method == Method::fetch) {
    {
      const std::lock_guard hold(lock_);
      if (v1::Reply door = admit(asked, *id, now_ms); door.refusal() != v1::REFUSAL_NONE) return door;
    }
    return fetch(asked.body());
  }
  std::unique_lock hold(lock_);
  if (v1::Reply door = admit(asked, *id, now_ms); door.refusal() != v1::REFUSAL_NONE) return door;
  if (method == Method::check_in) return check_in(*id, asked.body(), now_ms);
  if (method == Method::leave) return leave(*id, asked.body(), now_ms);
  v1::Reply reply = step(*id, asked.body(), now_ms);
  release(hold, now_ms);
  return reply;
}

v1::Reply Coordinator::admit(const v1::SignedRequest& request, const DeviceId& id, std::int64_t now_ms) {
  KnownDevice* device = registry_.find(id);
  if (device == nullptr) return refuse(v1::REFUSAL_UNKNOWN_DEVICE, "no such device is enrolled");
  if (device->revoked) return refuse(v1::REFUSAL_REVOKED, "the device takes part no more");
  const auto now = static_cast<std::uint64_t>(now_ms);
  const std::uint64_t off = request.time_ms() > now ? request.time_ms() - now : now - request.time_ms();
  // What was signed before the start may have been heard before it; the device sets its clock and asks again.
  if (off > static_cast<std::uint64_t>(options_.clock_window_ms) ||
      request.time_ms() < static_cast<std::uint64_t>(started_ms_))
    return refuse(v1::REFUSAL_CLOCK, "the device's clock is far from the server's, which is in this reply");
  if (request.nonce() <= device->last_nonce)
    return refuse(v1::REFUSAL_REPLAY, "a nonce rises from request to request, and is not below the time");
  device->last_nonce = request.nonce();
  registry_.note_seen(id, *device, now_ms);
  return {};
}

Caller Coordinator::caller(const DeviceId& id, std::int64_t now_ms) {
  const KnownDevice* device = registry_.find(id);
  return {id, device->index, std::max<std::int64_t>(now_ms - device->last_asked_ms, 0)};
}

std::size_t Coordinator::assignments() const {
  std::size_t all = 0;
  for (const auto& task : tasks_) all += task->assignments();
  return all;
}

RetryWindow Coordinator::retry_window() const {
  const RetryWindow base{static_cast<std::uint32_t>(options_.retry_min_ms),
                         static_cast<std::uint32_t>(options_.retry_max_ms)};
  return pace(base, registry_.size(), options_.most_check_ins_s);
}

v1::Reply Coordinator::at_home(const DeviceId& id, const std::string& homes, std::int64_t now_ms) {
  auto said = read_homes(homes);
  if (!said.ok()) return refuse(v1::REFUSAL_BAD_MESSAGE, said.error().message);
  const DeviceHome* known = registry_.home(id);
  if (known != nullptr && !lives_on(*said, *known))
    return refuse(
        v1::REFUSAL_MOVED,
        fmt::format("this device is in use on another machine since {:%Y-%m-%d %H:%M} UTC: remove it "
                    "here ('sotto device delete --offline'), or move it here from there; if that "
                    "machine is not yours, have the operator revoke the device, and enrol anew",
                    fmt::gmtime(static_cast<std::time_t>(known->since_ms / second_ms))));
  if (said->size() == (known == nullptr ? 0 : known->moves)) return {};
  const DeviceHome home{
      .home = said->back(), .moves = static_cast<std::uint32_t>(said->size()), .since_ms = now_ms};
  if (const Status kept = store_.set_home(id, home); !kept.ok()) {
    log_.line({LogLevel::error,
               "",
               std::nullopt,
               "a device's move could not be written",
               {{"cause", kept.error().message}}});
    return refuse(v1::REFUSAL_INTERNAL, "the server could not write it; try again later");
  }
  registry_.set_home(id, home);
  return {};
}

v1::Reply Coordinator::check_in(const DeviceId& id, const std::string& body, std::int64_t now_ms) {
  v1::CheckInRequest asked;
  if (!asked.ParseFromString(body)) return bad_message();
  const RetryWindow window = retry_window();
  if (stopping_) return refuse(v1::REFUSAL_STOPPING, "the server shuts down", random_within(window));
  if (v1::Reply home = at_home(id, asked.homes(), now_ms); home.refusal() != v1::REFUSAL_NONE) return home;
  const auto wants = [&](const TaskRun& task) {
    return asked.tasks().empty() ||
           std::find(asked.tasks().begin(), asked.tasks().end(), task.name()) != asked.tasks().end();
  };
  const Caller from = caller(id, now_ms);
  v1::CheckInReply reply;
  std::optional<v1::Assignment> assignment;
  for (const auto& task : tasks_)
    if (!assignment && wants(*task)) assignment = task->held(from, asked, now_ms);
  const std::size_t first = tasks_.empty() ? 0 : first_task_++ % tasks_.size();
  const bool room = assignments() < options_.most_assignments;
  for (std::size_t n = 0; n < tasks_.size() && !assignment && room; ++n) {
    TaskRun& task = *tasks_[(first + n) % tasks_.size()];
    if (wants(task)) assignment = task.assign(from, asked, now_ms);
  }
  if (assignment) {
    registry_.find(id)->last_asked_ms = now_ms;
    *reply.mutable_assignment() = std::move(*assignment);
  }
  for (std::size_t n = 0; n < tasks_.size() && !reply.has_assignment() && !reply.has_news(); ++n) {
    TaskRun& task = *tasks_[(first + n) % tasks_.size()];  // so that what a device cannot take hides no other
    if (!wants(task)) continue;
    if (auto news = task.news(from, asked)) *reply.mutable_news() = std::move(*news);
  }
  reply.set_retry_min_ms(window.min_ms);
  reply.set_retry_max_ms(window.max_ms);
  v1::Reply out = accept(reply.SerializeAsString());
  if (!reply.has_assignment()) out.set_retry_after_ms(random_within(window));
  return out;
}

v1::Reply Coordinator::fetch(const std::string& body) {
  v1::FetchRequest asked;
  if (!asked.ParseFromString(body)) return bad_message();
  SharedBlob blob;
  {
    const std::lock_guard hold(lock_);
    for (const auto& task : tasks_)
      if (blob == nullptr) blob = task->blob(asked.hash());
  }
  if (blob == nullptr) return refuse(v1::REFUSAL_NOT_FOUND, "no such blob, or no longer: check in again");
  if (asked.offset() > blob->size()) return refuse(v1::REFUSAL_BAD_MESSAGE, "beyond the end of the blob");
  const std::size_t most =
      asked.most() == 0 ? most_chunk_bytes : std::min<std::size_t>(asked.most(), most_chunk_bytes);
  v1::FetchReply reply;
  reply.set_total(blob->size());
  reply.set_data(blob->substr(asked.offset(), most));
  return accept(reply.SerializeAsString());
}

v1::Reply Coordinator::step(const DeviceId& id, const std::string& body, std::int64_t now_ms) {
  v1::StepRequest asked;
  if (!asked.ParseFromString(body)) return bad_message();
  if (asked.data().size() > most_chunk_bytes)
    return refuse(v1::REFUSAL_TOO_LARGE, fmt::format("a piece has at most {} bytes", most_chunk_bytes));
  const auto token = read_name(asked.token());
  if (!token) return refuse(v1::REFUSAL_NOT_ASSIGNED, "a token has 16 bytes");
  std::optional<StepAnswer> answer;
  for (const auto& task : tasks_)
    if (!answer) answer = task->step(caller(id, now_ms), *token, asked, now_ms);
  // After a restart this is everybody who was in the open round: they come back in the usual time.
  if (!answer)
    return refuse(v1::REFUSAL_NOT_ASSIGNED, "no such assignment: check in again",
                  random_within(retry_window()));
  const auto poll_ms = static_cast<std::uint32_t>(options_.poll_ms);
  if (answer->refusal != v1::REFUSAL_NONE)
    return refuse(answer->refusal, std::move(answer->why),
                  answer->refusal == v1::REFUSAL_BUSY ? poll_ms
                  : comes_back(answer->refusal)       ? random_within(retry_window())
                                                      : 0);
  v1::StepReply reply;
  reply.set_progress(answer->progress);
  reply.set_next_offset(answer->next_offset);
  reply.set_data(std::move(answer->data));
  v1::Reply out = accept(reply.SerializeAsString());
  if (reply.progress() == v1::StepReply::WAIT)
    out.set_retry_after_ms(random_within({poll_ms / 2 + 1, poll_ms + 1}));
  return out;
}

v1::Reply Coordinator::leave(const DeviceId& id, const std::string& body, std::int64_t now_ms) {
  v1::LeaveRequest asked;
  if (!asked.ParseFromString(body)) return bad_message();
  if (v1::Reply home = at_home(id, asked.homes(), now_ms); home.refusal() != v1::REFUSAL_NONE) return home;
  const Status left = asked.forget() ? store_.forget(id) : store_.set_revoked(id, true);
  if (!left.ok()) {
    log_.line(
        {LogLevel::error, "", std::nullopt, "a device could not leave", {{"cause", left.error().message}}});
    return refuse(v1::REFUSAL_INTERNAL, "the server could not write it; try again later");
  }
  if (asked.forget()) {
    around_.conduct.forget(id);
    registry_.erase(id);
  } else {
    registry_.find(id)->revoked = true;
  }
  return accept({});
}

}  // namespace sotto::server
