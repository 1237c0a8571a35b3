#include "device/exchange_run.h"

#include <algorithm>
#include <cstring>

#include "fed/models/live_evaluation.h"
#include "fed/models/task_models.h"
#include "fed/wire/catalogue.h"

namespace sotto::device {

namespace {

constexpr std::uint32_t most_attempts = 5;     // of a check-in; later ones until the deadline
constexpr std::uint32_t most_requests = 4096;  // beside those that ask whether something is there
constexpr std::int64_t first_backoff_ms = 250;
constexpr std::int64_t last_backoff_ms = 30'000;
constexpr std::int64_t day_ms = 86'400'000;  // no round lasts longer here, whatever the server says
constexpr std::size_t token_bytes = 16;
constexpr std::uint64_t most_packed_catalogue = 64u << 20;
// The chance, at most, with which a task may assume its secure sums to leak where a person asks for them.
constexpr double most_leak = 0x1p-30;
constexpr const char* rows_were_changed =
    "the task is refused: its catalogue grew, and does not keep the items that it had, or these are not here "
    "any more";

}  // namespace

ExchangeRun::ExchangeRun(DeviceStore& kept, const ExchangeOptions& options, const Enrolment& enrolment,
                         std::int64_t ahead_ms, std::int64_t now_ms)
    : kept_(kept),
      options_(options),
      channel_(kept, enrolment.identity_seed, ahead_ms),
      entropy_(options.entropy()),
      sum_secrets_(entropy_) {
  report_.began_ms = now_ms;
}

Exchange::Next ExchangeRun::wait(std::int64_t wait_ms) const {
  return {.what = Next::What::wait, .wait_ms = wait_ms, .report = report_};
}

Exchange::Next ExchangeRun::end(Ending ending, std::string why, std::int64_t wait_ms) {
  report_.ending = ending;
  report_.why = std::move(why);
  const bool refused = ending == Ending::refused_by_server || ending == Ending::refused_by_device;
  return {
      .what = refused ? Next::What::refused : Next::What::finished, .wait_ms = wait_ms, .report = report_};
}

std::int64_t ExchangeRun::until_deadline(std::int64_t now_ms) const {
  return std::clamp<std::int64_t>(deadline_ms_ - channel_.server_time(now_ms), 1, pause_ms);
}

std::int64_t ExchangeRun::between(std::int64_t least, std::int64_t most) {
  const Secret drawn = entropy_.derive("sotto pace", drawn_++);
  std::uint64_t number = 0;
  std::memcpy(&number, drawn.on_device().data(), sizeof number);
  const auto room = static_cast<std::uint64_t>(std::max<std::int64_t>(most - least, 0)) + 1;
  return least + static_cast<std::int64_t>(number % room);
}

Exchange::Next ExchangeRun::lost(const std::string& why, std::int64_t now_ms) {
  ++attempts_;
  const bool assigned = stage_ != Stage::check_in;
  if (!assigned && attempts_ >= most_attempts) return end(Ending::dropped, why, pause_ms);
  const std::int64_t backoff = std::min(first_backoff_ms << std::min(attempts_ - 1, 16u), last_backoff_ms);
  const std::int64_t pause = between(backoff / 2, backoff);
  return wait(assigned ? std::min(pause, until_deadline(now_ms)) : pause);
}

ExchangeRun::Asked ExchangeRun::refused(const v1::Reply& reply, std::int64_t now_ms) {
  const v1::Refusal refusal = reply.refusal();
  const bool wrong_time = refusal == v1::REFUSAL_CLOCK || refusal == v1::REFUSAL_REPLAY;
  if (wrong_time && !std::exchange(clock_set_, true)) return {};  // the reply has set our clock right
  const bool busy = refusal == v1::REFUSAL_BUSY || refusal == v1::REFUSAL_STOPPING;
  if (busy && stage_ != Stage::check_in)
    return {{},
            reply.retry_after_ms() == 0
                ? lost(reply.why(), now_ms)
                : wait(std::min<std::int64_t>(reply.retry_after_ms(), until_deadline(now_ms)))};
  if (refusal == v1::REFUSAL_NOT_FOUND && stage_ == Stage::model && model_->fall_back()) return {};
  report_.refusal = static_cast<int>(refusal);
  const std::int64_t pause = reply.retry_after_ms() == 0 ? pause_ms : reply.retry_after_ms();
  return {{}, end(Ending::refused_by_server, reply.why(), pause)};
}

Result<ExchangeRun::Asked> ExchangeRun::ask(Transport& wire, Method method, std::string body,
                                            std::int64_t now_ms) {
  if (++report_.requests > most_requests) return Asked{{}, object("the exchange is refused: it has no end")};
  SOTTO_TRY(Heard heard, channel_.ask(wire, method, std::move(body), now_ms));
  report_.bytes_up += heard.bytes_up;
  report_.bytes_down += heard.bytes_down;
  if (heard.what == Heard::What::lost) return Asked{{}, lost(heard.why, now_ms)};
  if (heard.what == Heard::What::nonsense) return Asked{{}, object(heard.why)};
  if (heard.reply.refusal() != v1::REFUSAL_NONE) return refused(heard.reply, now_ms);
  attempts_ = 0;
  return Asked{std::move(heard.reply), {}};
}

ExchangeRun::Moved ExchangeRun::move(Transport& wire, std::int64_t now_ms) {
  if (stage_ != Stage::check_in && channel_.server_time(now_ms) >= deadline_ms_)
    return {end(Ending::dropped, "the round was over before its end was reached", 1000)};
  switch (stage_) {
    case Stage::check_in:
      return check_in(wire, now_ms);
    case Stage::catalogue:
      return fetch_catalogue(wire, now_ms);
    case Stage::model:
      return fetch_model(wire, now_ms);
    case Stage::fit:
      return fit(now_ms);
    case Stage::step:
      return step(wire, now_ms);
  }
  SOTTO_ASSERT(false, "every stage has its move");
}

Result<bool> ExchangeRun::may_judge(const std::string& task) {
  SOTTO_TRY(const auto trained, kept_.last_round(task));
  SOTTO_TRY(const auto before, kept_.last_round(judged_after_name(task)));
  return trained && (!before || *before < *trained);
}

Status ExchangeRun::offer_to_judge(v1::CheckInRequest& request, const HeldModel& model) {
  v1::TaskSpec spec;
  if (model.task.empty() || !spec.ParseFromString(model.task) || !spec.has_evaluation()) return Done{};
  SOTTO_TRY(const bool may, may_judge(spec.name()));
  if (!may) return Done{};
  SOTTO_TRY(const auto judged, kept_.last_round(judged_name(spec.name())));
  v1::Judges* offer = request.add_judges();
  offer->set_task(spec.name());
  offer->set_from(judged ? *judged + 1 : 1);
  return Done{};
}

Result<std::string> ExchangeRun::check_in_request(const PersonalPolicy& policy) {
  const CriteriaTerms terms = criteria_terms(policy);
  v1::CheckInRequest request;
  request.set_on_power(options_.on_power);
  request.set_unmetered(options_.unmetered);
  request.set_sum_key(text_of(sum_secrets_.identity().open()));
  request.set_parts(most_parts);
  SOTTO_TRY(const std::string homes, kept_.homes());
  request.set_homes(homes);
  for (const std::string& task : options_.tasks) request.add_tasks(task);
  for (const TaskModel* model : task_models)
    if (check_trainable(*model, options_.networks).ok()) request.add_models(model->name);
  for (const auto& [name, value] : options_.criteria)
    if (terms.tells(name)) (*request.mutable_criteria())[name] = value;
  SOTTO_TRY(const std::vector<std::string> held, kept_.held_tasks());
  for (const std::string& task : held) {
    SOTTO_TRY(const auto model, kept_.model(task));
    if (model == nullptr || !model->has_version()) continue;
    v1::Held* entry = request.add_held();
    entry->set_task(task);
    entry->set_version(model->version);
    if (policy.evaluation) SOTTO_TRY_DONE(offer_to_judge(request, *model));
  }
  return request.SerializeAsString();
}

ExchangeRun::Moved ExchangeRun::check_in(Transport& wire, std::int64_t now_ms) {
  // A device that will not answer takes no place in a round.
  SOTTO_TRY(const PersonalPolicy policy, kept_.policy());
  if (!policy.takes_part())
    return {end(Ending::kept_quiet, "the person shares nothing: nobody was asked", pause_ms)};
  SOTTO_TRY(std::string body, check_in_request(policy));
  SOTTO_TRY(Asked asked, ask(wire, Method::check_in, std::move(body), now_ms));
  if (!asked.reply) return asked.next;
  v1::CheckInReply reply;
  if (!reply.ParseFromString(asked.reply->body()))
    return {object("the answer to a check-in does not decode")};
  if (reply.has_assignment()) return take_assignment(reply.assignment(), now_ms);
  const std::int64_t least = std::clamp<std::int64_t>(reply.retry_min_ms(), 1, day_ms);
  const std::int64_t pause = between(least, std::clamp<std::int64_t>(reply.retry_max_ms(), 1, day_ms));
  if (!reply.has_news()) return {end(Ending::no_work, "", pause)};
  retry_ms_ = pause;
  return take_news(reply.news(), now_ms);
}

ExchangeRun::Moved ExchangeRun::take_news(const v1::Assignment& news, std::int64_t now_ms) {
  auto task = read_task(news.task());
  if (!task.ok()) return {object(task.error().message)};
  task_ = std::move(*task);
  SOTTO_TRY(const PersonalPolicy policy, kept_.policy());
  SOTTO_TRY(const auto own, kept_.own_row(task_.name));
  // A model that is asked with a private row says nothing to a device that has none.
  if (task_.model->keeps_state && !own) return {end(Ending::no_work, "", *retry_ms_)};
  if (std::string why = unwanted(policy); !why.empty()) return {end(Ending::no_work, why, *retry_ms_)};
  report_.task = task_.name;
  deadline_ms_ = channel_.server_time(now_ms) + day_ms;
  return begin_fetch(news);
}

std::string ExchangeRun::unwanted(const PersonalPolicy& policy) const {
  const auto& wanted = options_.tasks;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), task_.name) == wanted.end())
    return "the task is refused: this device takes part in others";
  if (published_bytes(shape_of(task_)) > options_.most_model_bytes)
    return "the task is refused: its model is larger than this device takes";
  if (task_.reproducible && !options_.allow_reproducible)
    return "the task is refused: it is reproducible, and the server would know this device's draws";
  if (policy.secure_only && !task_.secure)
    return "the task is refused: its sums are plain, and the person allows secure ones alone";
  // A crowd is promised but for a chance that the task names: where that is large, it promises nothing.
  const bool asks = policy.secure_only || policy.least_crowd > 0;
  if (asks && task_.secure && task_.assumed.leak > most_leak)
    return "the task is refused: its secure sums may leak with a larger chance than 2^-30";
  // The terms of a secure sum are reckoned here for the task's crowd, whatever the server offers later.
  const std::uint32_t crowd = task_.secure ? task_.assumed.crowd : 1;
  if (crowd < policy.least_crowd)
    return "the task is refused: it promises a crowd of " + std::to_string(crowd) + ", the person asks for " +
           std::to_string(policy.least_crowd);
  return {};
}

std::string ExchangeRun::objection(const v1::Assignment& assignment, const PersonalPolicy& policy) const {
  if (assignment.token().size() != token_bytes) return "the assignment is refused: it has no proper token";
  if (std::string why = unwanted(policy); !why.empty()) return why;
  if (judging_ && !policy.evaluation)
    return "the task is refused: it asks how good lists are, and the person does not say so";
  if (!judging_)
    if (const Status able = check_trainable(*task_.model, options_.networks); !able.ok())
      return "the task is refused: " + able.error().message;
  const TaskShape shape = summed_.shape();
  const auto answer_of = [&](const TaskShape& part) -> std::uint64_t {
    return task_.secure ? part.sum_numbers() : part.sent.most_rows * part.sent.width;
  };
  std::uint64_t answer = answer_of(shape);
  for (const TaskShape& part : shape.before) answer = std::max(answer, answer_of(part));
  if (answer * sizeof(std::int32_t) > options_.most_model_bytes)
    return "the task is refused: an answer to it may be larger than this device takes";
  return {};
}

ExchangeRun::Moved ExchangeRun::take_assignment(const v1::Assignment& assignment, std::int64_t now_ms) {
  auto task = read_task(assignment.task());
  if (!task.ok()) return {object(task.error().message)};
  task_ = std::move(*task);
  task_.networks = options_.networks;
  judging_ = assignment.judge();
  if (judging_ && !task_.evaluation)
    return {
        object("the task is refused: it asks how good lists are, and holds nothing out to judge them by")};
  noted_as_ = judging_ ? judged_name(task_.name) : task_.name;
  summed_ = judging_ ? evaluation_task(task_) : task_;
  report_.judged = judging_;
  report_.task = task_.name;
  report_.round = assignment.round();
  report_.secure = task_.secure;
  SOTTO_TRY(const PersonalPolicy policy, kept_.policy());
  if (std::string why = objection(assignment, policy); !why.empty()) return {object(std::move(why))};
  token_ = assignment.token();
  const std::int64_t time = channel_.server_time(now_ms);
  deadline_ms_ = static_cast<std::int64_t>(
      std::min<std::uint64_t>(assignment.deadline_ms(), static_cast<std::uint64_t>(time + day_ms)));
  SOTTO_TRY(const auto answered, kept_.last_round(noted_as_));
  if (answered && *answered >= assignment.round())
    return {end(Ending::kept_quiet,
                judging_ ? "this version was judged before" : "this round was answered before",
                until_deadline(now_ms))};
  if (judging_) {
    SOTTO_TRY(const bool may, may_judge(task_.name));
    if (!may) return {object("the task is refused: a device judges once after each time that it took part")};
  }
  return begin_fetch(assignment);
}

ExchangeRun::Moved ExchangeRun::begin_fetch(const v1::Assignment& assignment) {
  SOTTO_TRY(auto held, kept_.model(task_.name));
  if (held != nullptr && !held->spec.empty() && held->spec != spec_name(assignment.task())) {
    v1::TaskSpec before;
    if (held->task.empty() || !before.ParseFromString(held->task) || !is_grown(before, assignment.task()))
      return {object("the task is refused: it is not what it was when this device first took part")};
    grown_from_ = held->catalogue;
    grew_ = ", a catalogue that grew from " + std::to_string(before.items()) + " to " +
            std::to_string(task_.items) + " items";
  }
  const bool has_version = held != nullptr && held->has_version();
  // Blind work needs no version. But who has one and hears of more items fetches it as it is now: what the
  // task is held to later changes with it.
  if (task_.shape().blind && !retry_ms_ && !judging_ && (grew_.empty() || !has_version)) {
    if (held == nullptr || !grew_.empty()) pinned_ = assignment.task();
  } else {
    auto model = ModelFetch::begin(assignment, task_, std::move(held), options_.shelf);
    if (!model.ok()) return {object(model.error().message)};
    model_.emplace(std::move(*model));
  }
  stage_ = Stage::model;
  if (!assignment.task().has_catalogue()) return {std::nullopt};
  const v1::BlobRef& names = assignment.task().catalogue();
  if (!fetchable(names, std::min(most_catalogue_bytes(task_.items), most_packed_catalogue)))
    return {object("the task is refused: its catalogue has no proper name, or is too large")};
  catalogue_name_ = names.hash();
  SOTTO_TRY(const auto known, kept_.catalogue(catalogue_name_));
  if (known != nullptr) {
    SOTTO_TRY(const bool keeps, keeps_rows(*known));
    return keeps ? std::nullopt : std::optional(object(rows_were_changed));
  }
  SOTTO_TRY(const auto begun, kept_.packed_catalogue(grown_from_));
  catalogue_.emplace(names, begun.value_or(""));
  stage_ = Stage::catalogue;
  return {std::nullopt};
}

Result<bool> ExchangeRun::keeps_rows(const TaskCatalogue& after) {
  if (grown_from_.empty()) return true;
  SOTTO_TRY(const auto before, kept_.catalogue(grown_from_));
  return before != nullptr && check_grown(*before, after).ok();
}

ExchangeRun::Moved ExchangeRun::fetch_catalogue(Transport& wire, std::int64_t now_ms) {
  SOTTO_TRY(Asked asked, ask(wire, Method::fetch, catalogue_->next(), now_ms));
  if (!asked.reply) return asked.next;
  if (Status taken = catalogue_->take(asked.reply->body()); !taken.ok())
    return {object(taken.error().message)};
  if (!catalogue_->complete() || catalogue_->begin_anew()) return {std::nullopt};
  const auto packed = std::move(*catalogue_).finish();
  catalogue_.reset();
  if (!packed.ok()) return {object(packed.error().message)};
  const auto table = read_catalogue(*packed, task_.items);
  if (!table.ok()) return {object(table.error().message)};
  if ((*table)->names.size() != task_.items)
    return {object("the task's catalogue is refused: it has fewer names than the task has items")};
  SOTTO_TRY(const bool keeps, keeps_rows(**table));
  if (!keeps) return {object(rows_were_changed)};
  SOTTO_TRY_DONE(kept_.keep_catalogue(catalogue_name_, *packed));
  stage_ = Stage::model;
  return {std::nullopt};
}

ExchangeRun::Moved ExchangeRun::fetch_model(Transport& wire, std::int64_t now_ms) {
  if (!model_) return stage_ = Stage::fit, std::optional<Next>();
  // A version may stay what it is where the task grew.
  if (model_->model() != nullptr && model_->download() == Download::held && !grew_.empty())
    SOTTO_TRY_DONE(kept_.keep_model(task_.name, model_->model()));
  if (model_->model() != nullptr && retry_ms_) {
    report_.download = model_->download();
    return {end(Ending::no_work, "", *retry_ms_)};
  }
  if (model_->model() != nullptr) return stage_ = Stage::fit, std::optional<Next>();
  SOTTO_TRY(Asked asked, ask(wire, Method::fetch, model_->next(), now_ms));
  if (!asked.reply) return asked.next;
  if (Status taken = model_->take(asked.reply->body()); !taken.ok()) return {object(taken.error().message)};
  if (model_->model() != nullptr) SOTTO_TRY_DONE(kept_.keep_model(task_.name, model_->model()));
  return {std::nullopt};
}

}  // namespace sotto::device
