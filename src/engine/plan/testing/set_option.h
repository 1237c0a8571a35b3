// One option of a request by the key that plans have for it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "engine/plan/model_entry.h"

namespace sotto::engine {

template <class T>
void set_option(TrainRequest& request, std::string_view path, const T& value) {
  const Field* field = request.model->field(path);
  ASSERT_NE(field, nullptr) << request.model->name << " has no " << path;
  PlanScalar scalar;
  if constexpr (std::is_same_v<T, bool>)
    scalar = value;
  else if constexpr (std::is_integral_v<T>)
    scalar = static_cast<std::int64_t>(value);
  else if constexpr (std::is_floating_point_v<T>)
    scalar = static_cast<double>(value);
  else
    scalar = std::string(value);
  const Status set = field->set(request, PlanValue{{scalar}});
  EXPECT_TRUE(set.ok()) << set.error().message;
}

}  // namespace sotto::engine
