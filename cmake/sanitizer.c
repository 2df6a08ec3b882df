// What every program of a build has in which undefined behaviour traps.
//
// Options of the sanitizers. What traps says nothing: ASan prints the stack of the illegal instruction. ASAN_OPTIONS of
// the environment is read after this.
//
// A cheaper search for leaks. At the end of a program LSan reads every static variable, page by page; 14 MB of them are
// buffers of which a command uses few, 5 MB are ASan's own. That took a third of the CPU time of a short command, and
// clients start thousands. LSan asks dl_iterate_phdr where variables are. While the program ends, this one leaves out
// ASan, and of the program and its libraries the pages that were never touched: they have no copy in memory or in swap,
// so they hold what the file holds, no address of the heap.
//
// A cheaper start. Every source file has a constructor that registers its global variables. ASan keeps the stack of
// each call, which touches two pages of a table in a random place: a third of all page faults of a start. The calls are
// kept here and made one after the other from one place, so they have one stack. Constructors of source files come
// first (priority 99), this one next (100): nothing runs in between that could reach a variable.
#include <sanitizer/asan_interface.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLAIN __attribute__((no_sanitize("address", "undefined")))

typedef int seen(struct dl_phdr_info *info, size_t size, void *arg);

enum { PAGE = 4096, AT_ONCE = 512, MOST = 1024 };

static int (*real_iterate)(seen *, void *);
static bool ends;

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}

// LSan calls from a process of its own that shares this memory, with all threads stopped: no locks, nothing that ASan
// intercepts.
struct pieces {
    ElfW(Phdr) at[MOST];
    int count;
};

static struct pieces pieces;

PLAIN static void add(struct pieces *p, const ElfW(Phdr) * whole, uintptr_t from, uintptr_t to)
{
    ElfW(Phdr) *last = p->count ? &p->at[p->count - 1] : NULL;
    if (last && last->p_vaddr + last->p_memsz == from) {
        last->p_memsz += to - from;
        return;
    }
    p->at[p->count] = *whole;
    p->at[p->count].p_vaddr = from;
    p->at[p->count++].p_memsz = to - from;
}

// The touched pages of a segment. Returns false if they cannot be told, or are in too many pieces.
PLAIN static bool split(struct pieces *p, const ElfW(Phdr) * whole, uintptr_t base, int pagemap)
{
    static uint64_t entry[AT_ONCE];
    uintptr_t begin = base + whole->p_vaddr, end = begin + whole->p_memsz;
    for (uintptr_t page = begin / PAGE; page * PAGE < end;) {
        long got = syscall(SYS_pread64, pagemap, entry, sizeof entry, (long)(page * sizeof *entry));
        if (got < (long)sizeof *entry)
            return false;
        for (long i = 0; i < got / (long)sizeof *entry && page * PAGE < end; i++, page++) {
            uintptr_t from = page * PAGE > begin ? page * PAGE : begin,
                      to = (page + 1) * PAGE < end ? (page + 1) * PAGE : end;
            if (p->count == MOST)
                return false;
            if (entry[i] >> 62) // present, or in swap
                add(p, whole, from - base, to - base);
        }
    }
    return true;
}

struct call {
    seen *callback;
    void *arg;
    long pagemap; // less than 0: everything is read
};

static void (*real_register)(void *globals, intptr_t count); // of ASan

// ASan's own variables, 5 MB of them, point to no memory of the program that nobody else points to.
PLAIN static bool is_asan(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && (uintptr_t)real_register - info->dlpi_addr - h->p_vaddr < h->p_memsz)
            return true;
    }
    return false;
}

PLAIN static int pass(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct call *c = arg;
    struct dl_phdr_info less = *info;
    bool sound = c->pagemap >= 0;
    pieces.count = 0;
    if (is_asan(info))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && (sound &= pieces.count < MOST); i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
            pieces.at[pieces.count++] = *h;
        else
            sound = split(&pieces, h, info->dlpi_addr, (int)c->pagemap);
    }
    less.dlpi_phdr = pieces.at;
    less.dlpi_phnum = (ElfW(Half))pieces.count;
    return c->callback(sound ? &less : info, size, c->arg);
}

PLAIN int dl_iterate_phdr(seen *callback, void *arg)
{
    if (!real_iterate)
        *(void **)&real_iterate = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    if (!ends)
        return real_iterate(callback, arg);
    struct call c = {callback, arg, syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
    int status = real_iterate(pass, &c);
    if (c.pagemap >= 0)
        syscall(SYS_close, c.pagemap);
    return status;
}

PLAIN static void on_end(void)
{
    ends = true;
}

// ASan begins before any constructor, so its search at exit comes after this.
__attribute__((constructor)) PLAIN static void begin(void)
{
    atexit(on_end);
}

// --- variables

// What a constructor of a source file registers; the arrays themselves are ASan's matter.
struct file {
    void *globals;
    intptr_t count;
};

enum { MOST_FILES = 2048 };
static struct file files[MOST_FILES];
static int file_count;

void __asan_register_globals(void *globals, intptr_t count);
void __asan_unregister_globals(void *globals, intptr_t count);

PLAIN static void register_all(void)
{
    *(void **)&real_register = dlsym(RTLD_NEXT, "__asan_register_globals");
    for (int i = 0; i < file_count; i++)
        real_register(files[i].globals, files[i].count);
    file_count = 0;
}

PLAIN void __asan_register_globals(void *globals, intptr_t count)
{
    if (!real_register && file_count < MOST_FILES) {
        files[file_count++] = (struct file){globals, count};
        return;
    }
    if (!real_register)
        register_all();
    real_register(globals, count); // of a library that is loaded later
}

// Only what is unloaded must be forgotten. At the end of a program its variables stay guarded.
PLAIN void __asan_unregister_globals(void *globals, intptr_t count)
{
    void (*real)(void *, intptr_t);
    if (ends)
        return;
    *(void **)&real = dlsym(RTLD_NEXT, "__asan_unregister_globals");
    real(globals, count);
}

// A constructor with priority 100, which GCC would warn of.
__attribute__((section(".init_array.00100"), used)) static void (*const registers)(void) = register_all;
