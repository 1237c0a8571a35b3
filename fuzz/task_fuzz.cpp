// Descriptions of tasks on any bytes.
// Laws checked: a task that is taken has a model of the list and a shape that fits memory, and both halves of
// it can be made, in every part of a round; a part's total is one that its devices can add up to; every
// refusal has a sentence. Where it evaluates, its figures have a shape, too.
#include <cstdint>

#include "base/assert.h"
#include "fed/models/live_evaluation.h"
#include "fed/models/weighed_task.h"

namespace {

using namespace sotto::fuzz;

// Larger ones are right, and take long.
constexpr std::size_t most_numbers = 1u << 16;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::v1::TaskSpec spec;
  if (!spec.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto task = read_task(spec);
  if (!task.ok()) {
    SOTTO_ASSERT(!task.error().message.empty(), "a refusal has a sentence");
    return 0;
  }
  const TaskShape shape = task->shape();
  SOTTO_ASSERT(shape.rows > 0 && shape.width > 0 && shape.sum_numbers() > 0, "a task has rows");
  SOTTO_ASSERT(shape.sum_numbers() <= std::size_t{1} << 28, "a sum fits memory");
  if (shape.rows * shape.width > most_numbers || shape.sum_numbers() > most_numbers) return 0;
  if (task->evaluation) {
    const TaskShape judged = evaluation_task(*task).shape();
    SOTTO_ASSERT(judged.sum_numbers() > 0 && judged.sent.most_rows <= judged.sum_rows && judged.limit > 0,
                 "figures have a shape");
    SOTTO_ASSERT(longest_figures(*task->evaluation) >= 1.0, "a person is in them");
  }
  const RowMatrix shared = server_of(*task)->start().shared;
  SOTTO_ASSERT(shared.rows() == shape.rows && shared.width() == shape.width, "a model has its shape");
  const Histories history({0, 1}, {ItemIndex{0}});
  const auto device = device_of(*task, {}, {history, history});
  SOTTO_ASSERT(device->start().rows() == 1, "a device has one row of its own");
  Task part = *task;
  while (!part.in_last_part()) {
    const TaskShape summed = part.part();
    SOTTO_ASSERT(summed.sum_numbers() <= most_total_numbers, "a part's total is small");
    const auto told = read_total(std::string(reinterpret_cast<const char*>(data), size), summed);
    SOTTO_ASSERT(!told.ok() || check_told(summed, *told).ok(), "what was read can be");
    auto total = told_of(summed, 1, std::vector<std::int64_t>(summed.sum_numbers(), 0));
    SOTTO_ASSERT(total.ok(), "nothing can be summed up");
    part.totals.push_back(std::move(*total));
    SOTTO_ASSERT(server_of(part) != nullptr, "a part has its check");
  }
  return 0;
}
