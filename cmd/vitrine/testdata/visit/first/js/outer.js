outer++; ran.push('outer')
