#include "fed/wire/round_plain.h"

#include <fmt/core.h>

#include "fed/messages.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::fed {

std::uint64_t PlainRound::most_bytes(const Task& task) {
  const TaskShape::Sent sent = task.part().sent;
  // Packing makes what a model says smaller, and the worst that can be said a little larger.
  const std::uint64_t rows = encoded_contribution_bytes(1, sent.most_rows, sent.alike ? 0 : sent.width);
  const std::uint64_t once = sent.alike ? sent.width * sizeof(std::int32_t) : 0;
  return (rows + once) * 5 / 4;
}

StepAnswer PlainRound::check_shape(std::uint32_t sent_in, std::string_view message) const {
  Reader in(std::as_bytes(std::span(message)));
  if (const Status header = read_header(in, MessageKind::packed_contribution); !header.ok())
    return refuse_step(v1::REFUSAL_BAD_MESSAGE, header.error().message);
  const auto round = in.number<std::uint32_t>();
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (in.spoiled()) return refuse_step(v1::REFUSAL_BAD_MESSAGE, "a contribution ends within its shape");
  if (round != sent_in)
    return refuse_step(v1::REFUSAL_WRONG_SHAPE, "a contribution of another round than the assignment's");
  if (width != sent_.width || rows > sent_.most_rows)
    return refuse_step(v1::REFUSAL_WRONG_SHAPE,
                       fmt::format("a contribution to the task has at most {} rows of {} values",
                                   sent_.most_rows, sent_.width));
  return {};
}

StepAnswer PlainRound::take(std::uint32_t sent_in, UserIndex device, std::string_view message) {
  if (StepAnswer shape = check_shape(sent_in, message); shape.refusal != v1::REFUSAL_NONE) return shape;
  auto decoded = unpack_contribution(
      message,
      {.catalogue = sent_.rows, .width = sent_.width, .most_rows = sent_.most_rows, .alike = sent_.alike});
  if (!decoded.ok()) {
    const bool beyond = decoded.error().code == Code::not_found;
    return refuse_step(beyond ? v1::REFUSAL_WRONG_SHAPE : v1::REFUSAL_BAD_VALUE, decoded.error().message);
  }
  Contribution& contribution = decoded->contribution;
  if (const Status possible = model_.check(contribution); !possible.ok())
    return refuse_step(v1::REFUSAL_BAD_VALUE, possible.error().message);
  Contribution* counted = &contribution;
  if (task_.in_last_part()) {
    if (task_.model->added != nullptr && !task_.other_sum) {
      task_.model->added(task_, contribution, added_);
      counted = &added_;
    }
    ContributionEdit(*counted).clip(task_.clip);
  }
  if (const Status added = sum_.accept(device, *counted); !added.ok())
    return refuse_step(v1::REFUSAL_BAD_VALUE, added.error().message);
  ++contributions_;
  StepAnswer taken;
  taken.contributed = true;
  return taken;
}

}  // namespace sotto::fed
