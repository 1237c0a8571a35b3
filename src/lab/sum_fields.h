// The fields of [sum] in a plan, each named once, for reading and for writing.
#pragma once

#include "fed/secure/secure_collector.h"

namespace sotto {

template <class Visitor>
void visit_sum_fields(SumOptions& sum, Visitor& visit) {
  visit("sum", "kind", sum.kind);
  visit("sum", "block", sum.block);
  visit("sum", "group", sum.group);
  visit("sum", "bits", sum.bits);
  visit("sum", "limit", sum.limit);
  visit("sum", "silent", sum.silent);
  visit("sum", "corrupt", sum.assumed.corrupt);
  visit("sum", "dropped", sum.assumed.dropped);
  visit("sum", "crowd", sum.assumed.crowd);
  visit("sum", "aggregators", sum.aggregators);
}

}  // namespace sotto
