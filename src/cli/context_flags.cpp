#include "cli/context_flags.h"

#include <fmt/format.h>

namespace sotto {

namespace {

constexpr const char* group = "Ratings and contexts";

template <class Value>
CLI::Option* add(CLI::App& app, Edits<DataRequest>& edits, const std::string& name, const char* type,
                 const std::string& help, auto ContextRequest::*member) {
  return add_edit<Value>(app, edits, name, help,
                         [member](DataRequest& data, const Value& value) { data.contexts.*member = value; })
      ->type_name(type)
      ->group(group);
}

}  // namespace

void add_context_flags(CLI::App& app, Edits<DataRequest>& edits) {
  const ContextSchema usual;
  add<std::vector<std::string>>(
      app, edits, "--contexts", "LIST",
      "of interval, daypart, columns, item, person, recency; or all there is, or none", &ContextRequest::of)
      ->delimiter(',');
  add<std::string>(app, edits, "--people", "FILE",
                   "people's attributes: u.user, users.dat, or a table of users under a header",
                   &ContextRequest::people);
  add<std::uint32_t>(app, edits, "--interval-hours", "H", "width of the bins of time between two ratings",
                     &ContextRequest::interval_hours)
      ->default_str(fmt::format("{}", usual.bin_hours));
  add<std::uint32_t>(app, edits, "--interval-bins", "N", "how many there are; they double in width",
                     &ContextRequest::interval_bins)
      ->default_str(fmt::format("{}", usual.bins));
  app.add_flag_callback(
         "--interval-exact",
         [&edits] {
           edits.push_back([](DataRequest& data) -> Status {
             data.contexts.interval_exact = true;
             return Done{};
           });
         },
         "bins of one width")
      ->group(group);
  add<std::string>(app, edits, "--day", "H-H", "the hours between which it is day", &ContextRequest::day)
      ->default_str(fmt::format("{}-{}", usual.day_from, usual.night_from));
  add<double>(app, edits, "--utc-offset", "H", "of the people's clocks, for weekends and nights",
              &ContextRequest::utc_offset)
      ->default_str("0");
  add_edit<std::string>(app, edits, "--rating-scale",
                        "lowest and highest rating, such as 1:5; default: those of the data",
                        [](DataRequest& data, const std::string& value) { data.rating_scale = value; })
      ->type_name("LOW:HIGH")
      ->group(group);
  add_edit<std::uint32_t>(
      app, edits, "--most-test",
      "of each user's test items judge so many, drawn at random, and train on the rest; 0: all",
      [](DataRequest& data, const std::uint32_t& value) { data.split.most_test = value; })
      ->type_name("N")
      ->default_str("0")
      ->group(group);
}

}  // namespace sotto
