// A broken promise stops the module: its caller gets an exception.
#undef assert
#ifdef NDEBUG
#define assert(claim) ((void)0)
#else
#define assert(claim) ((claim) ? (void)0 : __builtin_trap())
#endif
#define static_assert _Static_assert
