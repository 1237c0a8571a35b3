// How networks begin, trained in one place (neural/trainings.h) or on devices (neural/recommender_tasks.h,
// neural/classifier.h, fed/models/averaging_task.h): the same seed gives the same numbers to all, and nobody
// needs libtorch for them.
#pragma once

#include <cstdint>
#include <span>

#include "base/row_matrix.h"
#include "model/averaging/classifier_options.h"
#include "model/central/neural_options.h"

namespace sotto::model {

// Matrix number `n` of a network as it is trained, the items' rows being number 0 (neural/vae_step.h,
// neumf_step.h). Of NeuMF number 1 are the users' rows; each of these is drawn by itself.
void draw_vae_matrix(std::size_t n, RowMatrix& matrix, const MultVaeOptions& options, std::uint64_t seed);
void draw_neumf_matrix(std::size_t n, RowMatrix& matrix, std::uint64_t seed);
void draw_neumf_user(std::uint32_t user, std::span<float> row, std::uint64_t seed);
inline constexpr std::size_t neumf_users_matrix = 1;

// Layer number `n` of a classifier, as it lies in the flat vector.
void draw_classifier_layer(std::size_t n, const ClassifierLayer& layer, std::span<float> flat,
                           std::uint64_t seed);

}  // namespace sotto::model
