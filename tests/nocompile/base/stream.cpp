// error: operand
#include <iostream>

#include "base/private.h"

void print(const sotto::Private<float>& taste) { std::cout << taste; }
