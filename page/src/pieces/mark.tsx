import { ALPHA } from './shapes';

export const Mark = () => <svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" /><path transform="translate(1.7 1.7) scale(.86)" d={ALPHA} /></svg>;
