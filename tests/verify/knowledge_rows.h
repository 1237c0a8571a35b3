// Chapter 6 of the thesis, on its own data, as rows of `./dev verify`.
#pragma once

#include <vector>

#include "engine/models/kgflex.h"
#include "tests/verify/verification.h"

namespace sotto::tests {

// The authors' features of Facebook Books, both hops, in more than ten books.
inline void books_of_the_thesis(TrainRequest& request) {
  request.data.filter.min_user = 0;
  request.data.filter.core = 5;
  request.data.split.rule = RandomHoldout{0.8};
  request.data.kg.paths = {"kg-facebook-books/kgflex_item_features.tsv.zst"};
  request.data.kg.predicates = "kg-facebook-books/kgflex_predicates.tsv.zst";
  request.data.kg.min_items = 11;
}

inline void kgflex_of_the_thesis(TrainRequest& request) {
  request.model = "kgflex";
  request.plan.fpl.factors = 10;
  request.plan.fpl.learning_rate = 0.1f;
  request.plan.cohort = 0.1;
  request.plan.epochs = 10;  // ten rounds each
}

// One hop of DBpedia (two lists of predicates), genres and years; many short visits, slow personal vectors.
inline void movielens_with_knowledge(TrainRequest& request) {
  request.data.filter.min_user = 0;
  request.data.filter.core = 10;
  request.data.filter.min_rating = 3.0f;
  request.data.split.rule = RandomHoldout{0.8};
  request.data.kg.paths = {"kg-movielens-1m/dbpedia_1hop_11_predicates.tsv.zst",
                           "kg-movielens-1m/dbpedia_1hop_8_predicates.tsv.zst"};
  request.data.kg.links = {"kg-movielens-1m/dbpedia_linking.tsv.zst"};
}

inline std::vector<Row> book_rows() {
  const std::string books = "kg-facebook-books/kgflex_dataset.tsv.zst";
  return {
      {books,
       "Top-Pop, random 80/20 (printed .0939, 16, .0127)",
       [](TrainRequest& request) {
         books_of_the_thesis(request);
         request.model = "toppop";
       },
       5,
       {about("nDCG@10", .0939, .006), about("IC@10", 16, 2), about("Gini@10", .0127, .001)}},
      {books,
       "KGFlex, as the thesis (printed .0853, 606, .307)",
       [](TrainRequest& request) {
         books_of_the_thesis(request);
         kgflex_of_the_thesis(request);
       },
       5,
       {about("nDCG@10", .085, .006), about("IC@10", 600, 40), about("Gini@10", .30, .03)}},
      {books,
       "KGFlex, tuned on a validation part",
       [](TrainRequest& request) {
         books_of_the_thesis(request);
         kgflex_of_the_thesis(request);
         request.plan.epochs = 30;
         request.model.own<KgflexSettings>().negatives = 20;
         request.model.own<KgflexSettings>().first_hop = 200;
         request.model.own<KgflexSettings>().second_hop = 1000;
       },
       5,
       {at_least("nDCG@10", .095), at_least("Gini@10", .9 * .324)},
       false},
  };
}

inline std::vector<Row> knowledge_rows() {
  std::vector<Row> rows = book_rows();
  const std::vector<Row> films{
      {"movielens-1m/ratings_ranked.tsv.zst",
       "KGFlex, one hop, as the thesis (two: .198)",
       [](TrainRequest& request) {
         movielens_with_knowledge(request);
         request.data.kg.paths.pop_back();
         kgflex_of_the_thesis(request);
       },
       1,
       {about("nDCG@10", .143, .005), about("Gini@10", .079, .008)},
       false},
      {"movielens-1m/ratings_ranked.tsv.zst",
       "KGFlex, one hop and labels, tuned",
       [](TrainRequest& request) {
         movielens_with_knowledge(request);
         request.data.kg.labels = true;
         request.data.kg.min_items = 2;
         kgflex_of_the_thesis(request);
         request.plan.fpl.learning_rate = 0.01f;
         request.server.rate = 0.3f;
         request.user_reg = 0.01f;
         request.plan.triples = 20;
         request.plan.epochs = 80;
         request.model.own<KgflexSettings>().first_hop = 1500;
         request.model.own<KgflexSettings>().negatives = 10;
       },
       1,
       {at_least("nDCG@10", .198), at_least("Gini@10", .084)},
       false},
  };
  rows.insert(rows.end(), films.begin(), films.end());
  return rows;
}

}  // namespace sotto::tests
