// Both ends of a timed window, in C: between the end of the work and the reading of the clock no interpreter runs.
//
// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// Code that has not run for some milliseconds is slow, unevenly so, and an interpreter is much code: it made windows up
// to 3 % longer than their work. The driver's functions are arguments, so that neither side links against CUDA here.

#include <time.h>

enum { NOT_READY = 600, ANSWERED = 0, UNANSWERED = -1, SPINS = 4096 };

typedef struct {
  int (*launch)(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared, void *stream, void **arguments, void **extra);
  int (*synchronise)(void *stream);
  void *kernel, *stream, **arguments;
  unsigned width, height, threads;
} Fence;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

// The scorer's end. Starts the clock and the worker unless `clock[0]` says that they run; waits for the answer; then the
// fence stops the clock: clock[1]. Returns ANSWERED, UNANSWERED after `patience` ns, or the driver's error.
int window(unsigned *command, const unsigned *done, unsigned sequence, long long patience, const Fence *fence,
           long long clock[2]) {
  if (!clock[0]) {
    clock[0] = now();
    __atomic_store_n(command, sequence, __ATOMIC_RELEASE);
  }
  for (long long until = now() + patience; __atomic_load_n(done, __ATOMIC_ACQUIRE) != sequence;) {
    for (int i = 0; i < SPINS && __atomic_load_n(done, __ATOMIC_ACQUIRE) != sequence;) i++;
    if (now() > until) return UNANSWERED;
  }
  int status = fence->launch(fence->kernel, fence->width, fence->height, 1, fence->threads, 1, 1, 0, fence->stream,
                             fence->arguments, 0);
  if (!status) status = fence->synchronise(fence->stream);
  clock[1] = now();
  return status;
}

// The worker's end: waits for the current stream, then for all others, then answers where `done` is given.
int settle(int (*query)(void *stream), int (*synchronise)(void), unsigned *done, unsigned sequence) {
  while (query(0) == NOT_READY) {
  }
  int status = synchronise();
  if (!status && done) __atomic_store_n(done, sequence, __ATOMIC_RELEASE);
  return status;
}
