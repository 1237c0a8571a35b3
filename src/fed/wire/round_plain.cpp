#include "fed/wire/round_plain.h"

#include <fmt/core.h>

#include "fed/messages.h"

namespace sotto {

std::uint64_t PlainRound::most_bytes(const Task& task) {
  // Each triple touches two rows, and none stands there more often than it was touched.
  return encoded_contribution_bytes(1, std::uint64_t{2} * task.triples(), task.plan.fpl.factors + 1);
}

StepAnswer PlainRound::check_shape(std::uint32_t sent_in, std::string_view message) const {
  Reader in(std::as_bytes(std::span(message)));
  if (const Status header = read_header(in, MessageKind::contribution); !header.ok())
    return refuse_step(v1::REFUSAL_BAD_MESSAGE, header.error().message);
  const auto round = in.number<std::uint32_t>();
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (in.spoiled()) return refuse_step(v1::REFUSAL_BAD_MESSAGE, "a contribution ends within its shape");
  if (round != sent_in)
    return refuse_step(v1::REFUSAL_WRONG_SHAPE, "a contribution of another round than the assignment's");
  const std::uint64_t expected = task_.plan.fpl.factors + 1;
  if (width != expected || in.remaining() != rows * (sizeof(std::uint32_t) + width * sizeof(std::int32_t)))
    return refuse_step(v1::REFUSAL_WRONG_SHAPE, fmt::format("the rows of the task have {} values", expected));
  return {};
}

StepAnswer PlainRound::take(std::uint32_t sent_in, UserIndex device, std::string_view message) {
  if (StepAnswer shape = check_shape(sent_in, message); shape.refusal != v1::REFUSAL_NONE) return shape;
  auto decoded = decode<ContributionMessage>(std::as_bytes(std::span(message)));
  if (!decoded.ok()) return refuse_step(v1::REFUSAL_BAD_VALUE, decoded.error().message);
  Contribution& contribution = decoded->contribution;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (contribution.row(n) >= task_.items)
      return refuse_step(v1::REFUSAL_WRONG_SHAPE, "a contribution has a row that the model has not");
  ContributionEdit(contribution).clip(task_.clip);
  if (const Status added = sum_.accept(device, contribution); !added.ok())
    return refuse_step(v1::REFUSAL_BAD_VALUE, added.error().message);
  ++contributions_;
  StepAnswer taken;
  taken.contributed = true;
  return taken;
}

}  // namespace sotto
