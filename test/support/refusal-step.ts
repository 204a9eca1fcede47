/** Replaces src/modules/sign-ins/refusal-step.ts in tests: they wait a moment only. sign-ins/tries.slow.test.ts checks the real duration. */
export const refusalStepMs = 5;
