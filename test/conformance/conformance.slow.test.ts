import { conformanceRuns, describeConformance } from './conformance.ts';

describeConformance(conformanceRuns.thorough);
