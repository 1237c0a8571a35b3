// Chapter 6 of the thesis, on its own data, as rows of `./dev verify`.
#pragma once

#include <vector>

#include "tests/verify/verification.h"

namespace sotto {

// The authors' features of Facebook Books, both hops, in more than ten books.
inline void facebook_books(TrainRequest& request) {
  request.data.filter.min_user = 0;
  request.data.filter.core = 5;
  request.data.split.rule = RandomHoldout{0.8};
  request.data.kg.paths = {"kg-facebook-books/kgflex_item_features.tsv.zst"};
  request.data.kg.predicates = "kg-facebook-books/kgflex_predicates.tsv.zst";
  request.data.kg.min_items = 11;
}

inline void kgflex_of_the_thesis(TrainRequest& request) {
  request.model = ModelKind::kgflex;
  request.plan.fpl.factors = 10;
  request.plan.fpl.learning_rate = 0.1f;
  request.plan.cohort = 0.1;
  request.plan.epochs = 10;  // ten rounds each
}

inline std::vector<Row> knowledge_rows() {
  const std::string books = "kg-facebook-books/kgflex_dataset.tsv.zst";
  return {
      {books,
       "Top-Pop, random 80/20 (printed .0939, 16, .0127)",
       [](TrainRequest& request) {
         facebook_books(request);
         request.model = ModelKind::toppop;
       },
       5,
       {about("nDCG@10", .0939, .006), about("IC@10", 16, 2), about("Gini@10", .0127, .001)}},
      {books,
       "KGFlex, as the thesis (printed .0853, 606, .307)",
       [](TrainRequest& request) {
         facebook_books(request);
         kgflex_of_the_thesis(request);
       },
       5,
       {about("nDCG@10", .085, .006), about("IC@10", 600, 40), about("Gini@10", .30, .03)}},
      {books,
       "KGFlex, tuned on a validation part",
       [](TrainRequest& request) {
         facebook_books(request);
         kgflex_of_the_thesis(request);
         request.plan.epochs = 30;
         request.kgflex.negatives = 20;
         request.kgflex.first_hop = 200;
         request.kgflex.second_hop = 1000;
       },
       5,
       {at_least("nDCG@10", .095), at_least("Gini@10", .9 * .324)},
       false},
  };
}

}  // namespace sotto
