/* Powers of the polynomial kernel. */
#ifndef NEY_KERNEL_POWER_H
#define NEY_KERNEL_POWER_H

#include <stdint.h>

/* x^n by squaring, as svm-predict does it: pow() is slower and treats negative bases differently.
 */
static inline double ney_power(double x, int64_t n)
{
    double power = 1;
    for (; n > 0; n /= 2, x *= x) {
        power = n % 2 ? power * x : power;
    }
    return power;
}

#endif
