// The fields of a plan's section [fedcars], each named once, for reading and for writing.
#pragma once

#include "lab/request.h"

namespace sotto {

template <class Visitor>
void visit_fedcars(FedcarsRequest& fedcars, Visitor& visit) {
  visit("fedcars", "inner_steps", fedcars.rating.steps);
  visit("fedcars", "inner_lr", fedcars.rating.rate);
  visit("fedcars", "own_reg", fedcars.rating.own_reg);
  visit("fedcars", "shared_reg", fedcars.rating.shared_reg);
  visit("fedcars", "order", fedcars.rating.order);
  visit("fedcars", "adapts", fedcars.rating.adapts);
  visit("fedcars", "error_bend", fedcars.error_bend);
  visit("fedcars", "query", fedcars.query);
  visit("fedcars", "query_share", fedcars.query_share);
  visit("fedcars", "few_share", fedcars.few_share);
  visit("fedcars", "hidden", fedcars.hidden);
  visit("fedcars", "popularity_start", fedcars.popularity_start);
  visit("fedcars", "participation", fedcars.participation);
  visit("fedcars", "choices", fedcars.choices);
  visit("fedcars", "negatives", fedcars.negatives);
  visit("fedcars", "choice_steps", fedcars.choice.steps);
  visit("fedcars", "choice_inner_lr", fedcars.choice.rate);
  visit("fedcars", "choice_own_reg", fedcars.choice.own_reg);
  visit("fedcars", "choice_shared_reg", fedcars.choice.shared_reg);
  visit("fedcars", "choice_rate", fedcars.choice_rate);
  visit("fedcars", "choice_recency", fedcars.choice_recency);
}

}  // namespace sotto
