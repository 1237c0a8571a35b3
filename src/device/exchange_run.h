// ExchangeRun: one exchange while it is going on; device/exchange.h says what it does and its laws.
#pragma once

#include "device/coordinator_channel.h"
#include "device/exchange.h"
#include "device/model_fetch.h"
#include "device/round_work.h"
#include "device/secure_part.h"

namespace sotto::device {

class ExchangeRun {
 public:
  using Next = Exchange::Next;

  ExchangeRun(DeviceStore& kept, const ExchangeOptions& options, const Enrolment& enrolment,
              std::int64_t ahead_ms, std::int64_t now_ms);

  // One request, or one thing to do without any. None: there is more to do at once.
  [[nodiscard]] Result<std::optional<Next>> move(Transport& wire, std::int64_t now_ms);
  [[nodiscard]] Next wait(std::int64_t wait_ms) const;
  [[nodiscard]] std::int64_t ahead_ms() const { return channel_.ahead_ms(); }

 private:
  enum class Stage : std::uint8_t { check_in, catalogue, model, fit, step };
  // Exactly one of three: a reply; what the call is to return; neither, where the same is to be asked again.
  struct Asked {
    std::optional<v1::Reply> reply;
    std::optional<Next> next;
  };
  using Moved = Result<std::optional<Next>>;

  [[nodiscard]] Result<Asked> ask(Transport& wire, Method method, std::string body, std::int64_t now_ms);
  [[nodiscard]] Asked refused(const v1::Reply& reply, std::int64_t now_ms);
  [[nodiscard]] Moved check_in(Transport& wire, std::int64_t now_ms);
  [[nodiscard]] Moved fetch_catalogue(Transport& wire, std::int64_t now_ms);
  [[nodiscard]] Moved fetch_model(Transport& wire, std::int64_t now_ms);
  [[nodiscard]] Moved fit(std::int64_t now_ms);
  [[nodiscard]] Moved step(Transport& wire, std::int64_t now_ms);

  [[nodiscard]] Result<std::string> check_in_request(const PersonalPolicy& policy);
  // Which versions of a task the person lets be judged, if any.
  // Once after each training that it took part in: figures tell about the version that is judged, and a
  // server that makes up versions is told no more than it is by contributions.
  [[nodiscard]] Result<bool> may_judge(const std::string& task);
  [[nodiscard]] Status offer_to_judge(v1::CheckInRequest& request, const HeldModel& model);
  [[nodiscard]] Moved take_assignment(const v1::Assignment& assignment, std::int64_t now_ms);
  // A version without work.
  [[nodiscard]] Moved take_news(const v1::Assignment& news, std::int64_t now_ms);
  // Why the device wants nothing of the task; empty: it does.
  [[nodiscard]] std::string unwanted(const PersonalPolicy& policy) const;
  // Why the device does not take an assignment; empty: it does.
  [[nodiscard]] std::string objection(const v1::Assignment& assignment, const PersonalPolicy& policy) const;
  [[nodiscard]] Moved begin_fetch(const v1::Assignment& assignment);
  // What the work at hand sends is due.
  [[nodiscard]] Moved begin_part();
  // The part of the round is over and came to this.
  [[nodiscard]] Moved next_part(const std::string& encoded);
  // Whether a catalogue keeps the rows of the one that is held.
  [[nodiscard]] Result<bool> keeps_rows(const TaskCatalogue& after);
  [[nodiscard]] Status note_answer();
  [[nodiscard]] Status note_judged_nothing();
  // What is noted beside a version that was judged.
  [[nodiscard]] Result<std::optional<std::pair<std::string, std::uint32_t>>> judged_after();
  [[nodiscard]] std::string step_request() const;
  [[nodiscard]] Moved take_step(const v1::StepReply& reply, std::uint32_t retry_after_ms);

  [[nodiscard]] Next lost(const std::string& why, std::int64_t now_ms);
  [[nodiscard]] Next end(Ending ending, std::string why, std::int64_t wait_ms);
  [[nodiscard]] Next object(std::string why) {
    return end(Ending::refused_by_device, std::move(why), pause_ms);
  }
  // Until the round is over, but not for ever.
  [[nodiscard]] std::int64_t until_deadline(std::int64_t now_ms) const;
  // Between the two, drawn.
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);

  static constexpr std::int64_t pause_ms = 60'000;

  DeviceStore& kept_;
  const ExchangeOptions& options_;
  CoordinatorChannel channel_;
  Secret entropy_;
  SumSecrets sum_secrets_;
  ExchangeReport report_;
  Stage stage_ = Stage::check_in;
  std::uint32_t attempts_ = 0;  // of the request that is due
  std::uint32_t spoken_ = 0;    // requests that were no polls
  std::uint64_t drawn_ = 0;
  bool clock_set_ = false;  // by a refusal, once

  // Since the assignment.
  Task task_;
  bool judging_ = false;  // figures of the version are asked for, no training
  std::string noted_as_;  // whose rounds the answer is noted among
  Task summed_;           // what is summed: the task's, or the sum of figures about it; with what was heard
  std::string token_;
  std::int64_t deadline_ms_ = 0;        // by the server's clock
  std::string catalogue_name_;          // its hash; empty: the items are numbers
  std::string grown_from_;              // the catalogue that is held, where the task has more items since
  std::string grew_;                    // by how much, for the ledger's next line
  std::optional<v1::TaskSpec> pinned_;  // what the task will be held to, where no version is fetched
  std::optional<BlobFetch> catalogue_;
  std::optional<ModelFetch> model_;
  std::optional<std::int64_t> retry_ms_;     // there is no work: when to ask again
  std::optional<RoundWork> work_;            // until it is noted, in the last part of the round
  std::shared_ptr<const HeldModel> shared_;  // what it was made from
  std::shared_ptr<const TaskCatalogue> known_;
  std::unique_ptr<SecurePart> part_;
  SecurePart::Outgoing outgoing_;
  std::uint64_t offset_ = 0;
  bool polling_ = false;
};

}  // namespace sotto::device
