import { wordsFor } from '../../core/reasons.ts';
import { setWords } from './reasons.ts';

// Imported by pages that show reasons which are part of an answer, such as those of failed deliveries.

setWords(wordsFor);
