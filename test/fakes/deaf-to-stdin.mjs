// Never reads its input. With "leave" it goes at once, else after a second.
setTimeout(() => process.stdout.write("did not read\n"), process.argv[2] === "leave" ? 0 : 1000);
