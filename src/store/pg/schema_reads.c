// A migration: pages of all matches that cost the same however far back they are (S35).
#include "store/pg/internal.h"

// clang-format off
const char *const pg_schema_reads[] = {
    // How many matches are listed, with every row of the page; one row without a match when the page is empty. Days and hours
    // tell when the page begins and ends, so that nothing but the partitions of that time is looked at; what is to be skipped
    // within an hour is skipped in the index alone.
    "CREATE FUNCTION list_page(g bigint, skip bigint, most bigint) RETURNS TABLE(total bigint, game bigint, unreported bigint,\n"
    "  record bytea) LANGUAGE plpgsql STABLE AS $$\n"
    "#variable_conflict use_column\n"
    "DECLARE d int; c bigint; s bigint; first int; last int; low bigint; top bigint; f bigint; n bigint; everything bigint := 0;\n"
    "  h int; hours int[] := ARRAY(SELECT generate_series(0, 23)); BEGIN\n"
    "  FOR d, c IN SELECT t.day, sum(t.listed) FROM tallies t WHERE t.hour = -1 AND (g = 0 OR t.game = g)\n"
    "      GROUP BY t.day ORDER BY t.day DESC LOOP\n"
    "    IF first IS NULL AND everything + c > skip THEN\n"
    "      first := d;\n"
    "      s := skip - everything;\n"
    "    END IF;\n"
    "    IF last IS NULL OR everything < skip + most THEN last := d; END IF;\n"
    "    everything := everything + c;\n"
    "  END LOOP;\n"
    "  IF first IS NULL OR most = 0 THEN\n"
    "    RETURN QUERY SELECT everything, 0::bigint, 0::bigint, NULL::bytea;\n"
    "    RETURN;\n"
    "  END IF;\n"
    "  FOR h, c IN SELECT t.hour, sum(t.listed) FROM tallies t WHERE t.hour = ANY(hours) AND t.day = first AND (g = 0 OR t.game = g)\n"
    "      GROUP BY t.hour ORDER BY t.hour DESC LOOP\n"
    "    EXIT WHEN c > s;\n"
    "    s := s - c;\n"
    "  END LOOP;\n"
    "  low := first * 86400000::bigint + h * 3600000::bigint;\n"
    "  top := low + 3600000;\n"
    "  IF g = 0 THEN\n"
    "    SELECT x.finished, x.finish_no INTO f, n FROM matches x WHERE x.listed AND x.finished >= low AND x.finished < top\n"
    "      ORDER BY x.finished DESC, x.finish_no DESC OFFSET s LIMIT 1;\n"
    "  ELSE\n"
    "    SELECT x.finished, x.finish_no INTO f, n FROM matches x WHERE x.listed AND x.game = g AND x.finished >= low AND\n"
    "      x.finished < top ORDER BY x.finished DESC, x.finish_no DESC OFFSET s LIMIT 1;\n"
    "  END IF;\n"
    "  low := last * 86400000::bigint;\n"
    "  IF g = 0 THEN\n"
    "    RETURN QUERY SELECT everything, x.game::bigint, x.unreported::bigint, x.record FROM matches x WHERE x.listed AND\n"
    "      x.finished >= low AND x.finished <= f AND (x.finished, x.finish_no) <= (f, n)\n"
    "      ORDER BY x.finished DESC, x.finish_no DESC LIMIT most;\n"
    "  ELSE\n"
    "    RETURN QUERY SELECT everything, x.game::bigint, x.unreported::bigint, x.record FROM matches x WHERE x.listed AND\n"
    "      x.game = g AND x.finished >= low AND x.finished <= f AND (x.finished, x.finish_no) <= (f, n)\n"
    "      ORDER BY x.finished DESC, x.finish_no DESC LIMIT most;\n"
    "  END IF;\n"
    "END $$",
    NULL,
};
// clang-format on
