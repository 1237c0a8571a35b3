// OpenRound: a round that is open: the sum of its part at hand, and how what its members send gets into it.
//
// Laws: what is refused changes nothing; a member gives once to a part, and whoever repeats what was taken
// hears so again, or, where the part is over, its total; unfinished uploads of all rounds together stay
// within their limit. Who takes part, and what becomes of the sum, is the owner's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fed/wire/round_plain.h"
#include "fed/wire/round_secure.h"
#include "server/conduct.h"
#include "server/log_sink.h"
#include "server/members.h"
#include "server/metrics.h"
#include "server/task_config.h"

namespace sotto::server {

// What the tasks of a coordinator share.
struct Surroundings {
  Store& store;
  LogSink& log;
  Metrics& metrics;
  const Registry& registry;
  std::size_t most_upload_bytes = 0;
  std::size_t upload_bytes = 0;  // of unfinished uploads
  Conduct conduct;
};

// How a part of a round ended: another follows; the round is committed, or given up; or its sum is one that
// no honest members add up.
enum class PartEnd : std::uint8_t { goes_on, committed, given_up, spoilt };

class OpenRound {
 public:
  // `around` outlives it.
  OpenRound(const Task& task, Surroundings& around, RoundRecord opened, const RoundRules& by)
      : record(std::move(opened)), rules(by), task_(task), around_(around) {}

  RoundRecord record;
  RoundRules rules;
  bool gathered = false;  // nobody joins any more
  std::optional<PlainRound> plain;
  std::unique_ptr<SecureRound> secure;  // since its cohort is complete

  // The part that is at hand, from 0.
  [[nodiscard]] std::size_t part() const { return task_.totals.size(); }
  [[nodiscard]] bool in_last_part() const { return task_.in_last_part(); }
  // How long the part may last since the round was opened: one in the open has its share of the time.
  [[nodiscard]] std::int64_t lasts_ms() const;
  // The part is over, and this is told of it; `members` are those who gave to it. `check` and `sum` are of
  // the next one where it is in the open. Fails where so few cannot go on, and then nothing has changed.
  [[nodiscard]] Status next_part(const PartTotal& told, Members& members, const ContributionCheck& check,
                                 Collector& sum, std::int64_t now_ms);

  [[nodiscard]] std::uint64_t contributions() const;
  // `late`: what the member works on is too old.
  [[nodiscard]] StepAnswer step(Member& member, const v1::StepRequest& request, bool late,
                                std::int64_t now_ms);
  // Ends the gathering when everybody is here, or enough are after a while.
  void look_at_gathering(const Members& members, std::int64_t now_ms);
  // Whether what is there is all that will come.
  [[nodiscard]] bool is_full() const;
  // What the secure sum of the part at hand showed about its members, for those who watch their conduct: once
  // a part, whatever ends it first. Who gave to the part before and left this one is in doubt, too.
  void note_conduct(const Members& members, PartEnd end, std::int64_t now_ms);

 private:
  [[nodiscard]] StepAnswer assemble(Member& member, const v1::StepRequest& request, std::string& whole) const;
  [[nodiscard]] StepAnswer plain_step(Member& member, const v1::StepRequest& request, bool late,
                                      std::int64_t now_ms);
  [[nodiscard]] StepAnswer secure_step(Member& member, const v1::StepRequest& request, std::int64_t now_ms);
  [[nodiscard]] StepAnswer after_part(const v1::StepRequest& request) const;
  void start_secure(const Members& members, std::int64_t now_ms);
  void log(LogLevel level, std::string message,
           std::vector<std::pair<std::string, std::string>> fields) const;

  Task task_;  // with the totals of the parts that are over
  Surroundings& around_;
  std::vector<std::string> told_;  // of those parts, as it is sent
  bool noted_ = false;             // what the part at hand showed about its members
  std::uint64_t going_on_ = 0;     // members in a part after the first
};

// Whether a member may go on with what it was asked and has not given, by the key that it gives now. `round`
// may be none.
[[nodiscard]] bool goes_on(const Task& task, const OpenRound* round, Member& member,
                           const v1::CheckInRequest& request, std::int64_t now_ms);
// Moves those that `ends` holds for into the past, with what they were uploading.
void drop_members(Members& members, Surroundings& around, bool committed,
                  const std::function<bool(const Member&)>& ends);
// What a member of a round that is over hears.
[[nodiscard]] StepAnswer step_after(const Task& task, const PastMember& past, const v1::StepRequest& request);

}  // namespace sotto::server
