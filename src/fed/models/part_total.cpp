#include "fed/models/part_total.h"

#include <sotto/v1/federation.pb.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "fed/models/task.h"
#include "fed/secure/sum_messages.h"
#include "privacy/kept_items.h"

namespace sotto::fed {

namespace {

Error refuse_total(const char* why) {
  return fail(Code::bad_input, std::string("the total of a part of the round is refused: ") + why);
}

// Whether so many devices can have added that up.
Status check_sum(const TaskShape& part, std::uint32_t devices, std::span<const std::int64_t> sum) {
  if (sum.size() != part.sum_numbers()) return refuse_total("it has another shape than the part");
  const std::int64_t least = part.counts ? 0 : -std::int64_t{part.limit} * devices;
  const std::int64_t most = std::int64_t{part.limit} * devices;
  if (std::ranges::any_of(sum, [&](std::int64_t number) { return number < least || number > most; }))
    return refuse_total("its devices cannot have added that up");
  return Done{};
}

}  // namespace

std::string encode_total(const PartTotal& told) {
  v1::PartTotal message;
  message.set_devices(told.devices);
  for (const std::int64_t number : told.numbers) message.add_sums(number);
  return message.SerializeAsString();
}

Result<PartTotal> told_of(const TaskShape& part, std::uint32_t devices, std::vector<std::int64_t> sum) {
  SOTTO_TRY_DONE(check_sum(part, devices, sum));
  const auto [most, among] = part.largest;
  if (most == 0) return PartTotal{devices, std::move(sum)};
  const KeptItems kept = KeptItems::most_popular(std::span(sum).first(among), most);
  return PartTotal{devices, {kept.items().begin(), kept.items().end()}};
}

Status check_told(const TaskShape& part, const PartTotal& told) {
  if (told.devices == 0) return refuse_total("it is of nobody");
  const auto [most, among] = part.largest;
  if (most == 0) return check_sum(part, told.devices, told.numbers);
  if (told.numbers.size() != most) return refuse_total("it names more or fewer than the part is to find");
  const bool ascend = std::ranges::adjacent_find(told.numbers, std::greater_equal()) == told.numbers.end();
  if (!ascend || told.numbers.front() < 0 || told.numbers.back() >= static_cast<std::int64_t>(among))
    return refuse_total("it names what the part does not count, or one twice");
  return Done{};
}

Result<PartTotal> read_total(const std::string& encoded, const TaskShape& part) {
  v1::PartTotal message;
  if (!message.ParseFromString(encoded)) return refuse_total("it does not decode");
  const PartTotal told{message.devices(), {message.sums().begin(), message.sums().end()}};
  SOTTO_TRY_DONE(check_told(part, told));
  return told;
}

std::int32_t sum_limit(const Task& task) {
  const std::int32_t limit = task.part().limit;
  const double clip = std::min(task.clip.row, task.clip.whole);
  if (!task.in_last_part() || clip >= static_cast<double>(limit)) return limit;
  return static_cast<std::int32_t>(std::max(std::floor(clip), 1.0));
}

Bytes32 part_beacon(const Task& task, std::uint64_t session, std::span<const PublicKey> directory) {
  Bytes32 beacon = sum_beacon(session, directory);
  if (task.parts() > 1) beacon = digest_of("sotto sum beacon of a task", {beacon, task.said});
  for (const PartTotal& told : task.totals) {
    std::vector<std::uint8_t> heard;
    const auto put = [&](std::uint64_t number) {
      const auto bytes = bytes_of(number);
      heard.insert(heard.end(), bytes.begin(), bytes.end());
    };
    put(told.devices);
    for (const std::int64_t number : told.numbers) put(static_cast<std::uint64_t>(number));
    beacon = digest_of("sotto sum beacon after a part", {beacon, heard});
  }
  return beacon;
}

bool shows_few(const Task& task, std::uint32_t devices, std::uint32_t stayed) {
  if (task.totals.empty() || !task.shape().before[task.totals.size() - 1].told_again) return false;
  const auto corrupt = static_cast<std::uint32_t>(task.assumed.corrupt * devices);
  return stayed < devices && devices - stayed < task.assumed.crowd + corrupt;
}

}  // namespace sotto::fed
