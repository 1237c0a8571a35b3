#include "host/fleet/refusal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "engine/terminal/console.h"

namespace sotto::host {

namespace {

const char* words_of(v1::Refusal refusal) {
  switch (refusal) {
    case v1::REFUSAL_BAD_MESSAGE:
      return "messages that do not decode or lack something: --byzantine devices send such; else compare the "
             "versions "
             "of both programs";
    case v1::REFUSAL_WRONG_VERSION:
      return "another version of the protocol: use the coordinator's version of this program";
    case v1::REFUSAL_UNKNOWN_DEVICE:
      return "devices that the coordinator does not know: enrol them there, with tokens of 'sotto ctl "
             "tokens'";
    case v1::REFUSAL_REVOKED:
      return "devices that the operator revoked: 'sotto ctl unrevoke' lets one in again";
    case v1::REFUSAL_BAD_SIGNATURE:
      return "requests not signed by the device they name: --byzantine devices forge such; else enrol again";
    case v1::REFUSAL_CLOCK:
      return "requests signed too far from the coordinator's time: set the clocks right, or raise "
             "clock_window_s";
    case v1::REFUSAL_REPLAY:
      return "requests that came a second time: a repeated one after a lost answer is fine, and counts once";
    case v1::REFUSAL_BAD_TOKEN:
      return "tokens that are unknown or used: make new ones with 'sotto ctl tokens'";
    case v1::REFUSAL_TOO_LARGE:
      return "messages larger than the coordinator takes: raise upload_mib in its [limits]";
    case v1::REFUSAL_NOT_ASSIGNED:
      return "answers to work that was not given to the device: --byzantine devices send such";
    case v1::REFUSAL_TOO_LATE:
      return "answers after the end of their round or phase: raise round_s or phase_s if there are many";
    case v1::REFUSAL_DUPLICATE:
      return "different second answers to the same work: the first one counts";
    case v1::REFUSAL_WRONG_SHAPE:
      return "contributions of another shape than the task's: its items must be those of the data ('sotto "
             "data items')";
    case v1::REFUSAL_BAD_VALUE:
      return "contributions with numbers out of range: nothing of them was added";
    case v1::REFUSAL_NOT_FOUND:
      return "a task or a model that is not there: see 'sotto ctl tasks'";
    case v1::REFUSAL_BUSY:
      return "a limit of the coordinator was reached, and the devices come again later: see its [limits]";
    case v1::REFUSAL_STOPPING:
      return "the coordinator was shutting down: start it again, and the devices come back";
    case v1::REFUSAL_OUT_OF_ORDER:
      return "steps before their time: the devices ask again";
    case v1::REFUSAL_ROUND_FAILED:
      return "rounds that were given up: 'sotto ctl rounds' lists why";
    case v1::REFUSAL_MOVED:
      return "devices that answer from another machine since: they were taken in there too";
    case v1::REFUSAL_INTERNAL:
      return "the coordinator's own failures, such as a full disk: its log names the cause";
    default:
      return "refused for a reason that this version does not know: use the coordinator's version of this "
             "program";
  }
}

}  // namespace

std::string refusal_text(v1::Refusal refusal) { return words_of(refusal); }

std::string refusal_lines(const std::map<int, std::uint64_t>& refusals) {
  std::vector<std::pair<int, std::uint64_t>> met(refusals.begin(), refusals.end());
  std::ranges::stable_sort(met, std::greater{}, &std::pair<int, std::uint64_t>::second);
  std::string text;
  for (const auto& [number, count] : met) {
    const auto refusal = static_cast<v1::Refusal>(number);
    const std::string name = v1::Refusal_Name(refusal);
    text += fmt::format("  {:>9}  {} ({})\n", human_count(count), refusal_text(refusal),
                        name.empty() ? fmt::format("{}", number) : name);
  }
  return text;
}

}  // namespace sotto::host
