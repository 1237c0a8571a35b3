// The fields of a plan that one family of models needs, each named once, for reading and for writing.
#pragma once

#include "engine/plan/request.h"

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

template <class Visitor>
void visit_model_sections(TrainRequest& r, Visitor& visit) {
  visit("knn", "neighbors", r.knn.neighbors);
  visit("knn", "shrink", r.knn.shrink);
  visit("knn", "similarity", r.knn.similarity);
  visit("linear", "l1", r.linear.l1);
  visit("linear", "non_negative", r.linear.non_negative);
  visit("linear", "alpha", r.linear.alpha);
  visit("linear", "beta", r.linear.beta);
  visit("linear", "gram_power", r.linear.gram_power);
  visit("linear", "dense_items", r.linear.dense_items);
  visit("content", "user_weights", r.content.users);
  visit("content", "item_weights", r.content.items);
  visit("content", "profile_rule", r.content.profile);
  visit("neural", "batch", r.neural.batch);
  visit("neural", "l2", r.neural.l2);
  visit("neural", "hidden", r.neural.vae.hidden);
  visit("neural", "latent", r.neural.vae.latent);
  visit("neural", "dropout", r.neural.vae.dropout);
  visit("neural", "anneal_cap", r.neural.vae.anneal_cap);
  visit("neural", "anneal_epochs", r.neural.vae.anneal_epochs);
  visit("neural", "layers", r.neural.neumf.layers);
  if (is_averaged(r.model)) {
    visit("averaging", "local_epochs", r.averaged.epochs);
    visit("averaging", "proximal", r.averaged.proximal);
  }
  visit("kgflex", "gain", r.kgflex.gain);
  visit("kgflex", "first_hop", r.kgflex.first_hop);
  visit("kgflex", "second_hop", r.kgflex.second_hop);
  visit("kgflex", "all_features", r.kgflex.all_features);
  visit("kgflex", "negatives", r.kgflex.negatives);
  visit("kgflex", "min_gain", r.kgflex.min_gain);
  visit_fedcars(r.fedcars, visit);
}

}  // namespace sotto
