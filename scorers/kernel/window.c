// Both ends of a timed window, in C: between the end of the work and the reading of the clock no interpreter runs.
//
// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// Code that has not run for some milliseconds is slow, unevenly so, and an interpreter is much code: it made windows up
// to 3 % longer than their work. The driver's functions are arguments, so that neither side links against CUDA here.

#include <time.h>

enum { NOT_READY = 600, DONE = 0, UNANSWERED = -1, BUSY = -2, SPINS = 4096 };

typedef struct {
  int (*launch)(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared, void *stream, void **arguments, void **extra);
  int (*synchronise)(void *stream);
  void *stream;
} Driver;

typedef struct {
  void *kernel, **arguments;
  unsigned width, height, threads;
} Step;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int run(const Driver *driver, const Step *step) {
  int status = driver->launch(step->kernel, step->width, step->height, 1, step->threads, 1, 1, 0, driver->stream,
                              step->arguments, 0);
  return status ? status : driver->synchronise(driver->stream);
}

// The scorer's end, first part: patches the inputs, looks at the card again and again for `quiet` ns, then starts the
// clock, clock[0], and the worker. Each look is timed from the end of the one before, and the clock starts at the end of
// the last: whoever keeps the card or this very thread busy meanwhile makes a look slow or his own time longer.
// Returns DONE, BUSY where one of them took `limit` ns, or the driver's error; clock[2] is what the patches took.
int start(unsigned *command, unsigned sequence, const Driver *driver, const Step *patch, const Step *look,
          long long quiet, long long limit, long long clock[3]) {
  long long before = now(), after;
  int status = run(driver, patch);
  after = now();
  clock[2] = after - before;
  for (long long until = after + quiet; !status && after - before < limit;) {
    if (after > until) {
      clock[0] = after;
      __atomic_store_n(command, sequence, __ATOMIC_RELEASE);
      return DONE;
    }
    before = after;
    status = run(driver, look);
    after = now();
  }
  return status ? status : BUSY;
}

// Second part: waits for the answer; then the fence stops the clock, clock[1]. Returns DONE, UNANSWERED after `patience`
// ns, or the driver's error.
int finish(const unsigned *done, unsigned sequence, const Driver *driver, const Step *fence, long long patience,
           long long clock[3]) {
  for (long long until = now() + patience; __atomic_load_n(done, __ATOMIC_ACQUIRE) != sequence;) {
    for (int i = 0; i < SPINS && __atomic_load_n(done, __ATOMIC_ACQUIRE) != sequence;) i++;
    if (now() > until) return UNANSWERED;
  }
  int status = run(driver, fence);
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
