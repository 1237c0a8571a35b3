#include "lab/people.h"

namespace sotto {

Result<TrainRequest> with_people(TrainRequest request, const Split& split) {
  ConsentPolicy& consent = request.plan.consent;
  if (consent.people == nullptr) {
    SOTTO_TRY(consent.people, book_for(request.consent, consent, split, request.plan.seed));
  }
  return request;
}

}  // namespace sotto
